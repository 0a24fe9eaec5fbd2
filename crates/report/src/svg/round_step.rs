//! Distances that people count in.

/// A distance between ticks: 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RoundStep {
    digit: u32,
    power: i32,
}

impl RoundStep {
    /// A step of which about so many fit between the ends.
    pub(super) fn fitting(low: f64, high: f64, about: usize) -> Self {
        let rough = (high - low) / about.max(1) as f64;
        let power = rough.log10().floor() as i32;
        let steps = [1, 2, 5].map(|digit| Self { digit, power });
        let fits = steps.into_iter().find(|step| step.size() >= rough * 0.7);
        fits.unwrap_or(Self {
            digit: 1,
            power: power + 1,
        })
    }

    /// The next finer step that divides this one: 1 → 0.5, 2 → 1, 5 → 1.
    pub(super) fn finer(self) -> Self {
        match self.digit {
            1 => Self {
                digit: 5,
                power: self.power - 1,
            },
            _ => Self { digit: 1, ..self },
        }
    }

    pub(super) fn size(self) -> f64 {
        shifted(self.digit.into(), self.power)
    }

    /// All multiples from `low` to `high`. Each is a product, so that no rounding adds up.
    pub(super) fn multiples(self, low: f64, high: f64) -> Vec<f64> {
        let size = self.size();
        let (first, last) = ((low / size).ceil() as i64, (high / size).floor() as i64);
        (first..=last)
            .map(|at| shifted((at * i64::from(self.digit)) as f64, self.power))
            .collect()
    }
}

/// `value`·10^`power`. Powers below zero are divided by, which gives 0.6 for 6·10⁻¹.
pub(super) fn shifted(value: f64, power: i32) -> f64 {
    let unit = 10f64.powi(power.abs());
    if power < 0 {
        value / unit
    } else {
        value * unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_of_round_steps() {
        let tenths = RoundStep {
            digit: 2,
            power: -1,
        };
        assert_eq!(tenths.multiples(0.0, 1.04), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(
            RoundStep::fitting(-3.0, 12.0, 4).multiples(-3.0, 12.0),
            [0.0, 5.0, 10.0]
        );
        assert_eq!(RoundStep::fitting(0.0, 9.9, 1).size(), 10.0);
    }

    #[test]
    fn finer_steps_divide() {
        let mut step = RoundStep { digit: 2, power: 1 };
        let mut sizes = Vec::new();
        for _ in 0..5 {
            sizes.push(step.size());
            step = step.finer();
        }
        assert_eq!(sizes, [20.0, 10.0, 5.0, 1.0, 0.5]);
    }
}
