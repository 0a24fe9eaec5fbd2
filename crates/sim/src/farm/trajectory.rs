use super::run::Length;

/// The total queue length over time, from the first slot on: sums over equally many slots each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trajectory {
    /// Slots to a point.
    every: u32,
    sums: Vec<u64>,
    /// The point that is not complete yet.
    sum: u64,
    seen: u32,
}

impl Trajectory {
    pub(super) fn new(length: Length) -> Self {
        let every = length.slots.div_ceil(length.points.max(1)).max(1);
        Self {
            every,
            sums: Vec::with_capacity((length.slots / every) as usize),
            sum: 0,
            seen: 0,
        }
    }

    /// `waiting` jobs wait at the end of the next slot.
    #[inline]
    pub(super) fn push(&mut self, waiting: u32) {
        // Fewer than 2³² slots with fewer than 2³² jobs: no sum overflows.
        self.sum += u64::from(waiting);
        self.seen += 1;
        if self.seen == self.every {
            self.sums.push(self.sum);
            (self.sum, self.seen) = (0, 0);
        }
    }

    /// Slots to a point.
    pub fn every(&self) -> u32 {
        self.every
    }

    /// Σ of total queue lengths over the slots of each point. Slots after the last whole point are
    /// left out.
    pub fn sums(&self) -> &[u64] {
        &self.sums
    }

    /// The mean total queue length over the slots of each point.
    pub fn means(&self) -> Vec<f64> {
        let every = f64::from(self.every);
        self.sums.iter().map(|&sum| sum as f64 / every).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_means_over_equally_many_slots() {
        let length = Length {
            points: 4,
            ..Length::of(11)
        };
        let mut trajectory = Trajectory::new(length);
        (1..=11).for_each(|waiting| trajectory.push(waiting));
        assert_eq!(trajectory.every(), 3);
        assert_eq!(trajectory.sums(), [6, 15, 24]);
        assert_eq!(trajectory.means(), [2.0, 5.0, 8.0]);
    }
}
