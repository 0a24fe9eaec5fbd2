//! The queues as a rival sees them.

/// The queues after the jobs of a step were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loads {
    queues: Vec<u64>,
    /// How many of each queue's jobs were made in this step.
    fresh: Vec<u64>,
}

/// What a rival did in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Processors that asked another for its load, or jobs that did.
    pub requests: u64,
    /// Balancing actions that moved a job or more.
    pub actions: u64,
    /// Jobs that moved.
    pub moved: u64,
}

impl Loads {
    /// Queues of these lengths, of which so many jobs are new.
    ///
    /// # Panics
    ///
    /// If there are not as many numbers of new jobs as queues, or more new jobs than jobs.
    pub fn new(queues: Vec<u64>, fresh: Vec<u64>) -> Self {
        assert_eq!(queues.len(), fresh.len(), "a number for each queue");
        let mut pairs = queues.iter().zip(&fresh);
        assert!(pairs.all(|(all, new)| new <= all), "new jobs are jobs");
        Self { queues, fresh }
    }

    /// n.
    pub fn processors(&self) -> usize {
        self.queues.len()
    }

    /// The queues, the new jobs among them.
    pub fn queues(&self) -> &[u64] {
        &self.queues
    }

    /// How many jobs of `processor` were made in this step.
    pub fn fresh(&self, processor: usize) -> u64 {
        self.fresh[processor]
    }

    /// Moves `jobs` jobs; returns how many really change their place.
    ///
    /// # Panics
    ///
    /// If `from` has fewer.
    pub fn move_jobs(&mut self, from: usize, to: usize, jobs: u64) -> u64 {
        let left = self.queues[from].checked_sub(jobs);
        self.queues[from] = left.expect("a processor gives what it has");
        self.queues[to] += jobs;
        if from == to { 0 } else { jobs }
    }

    /// Spreads the jobs of the processors of `group`, which differ, as evenly as whole jobs can be,
    /// and moves as few as that takes. Returns how many.
    pub fn equalise(&mut self, group: &[usize]) -> u64 {
        let total: u64 = group.iter().map(|&processor| self.queues[processor]).sum();
        let size = group.len() as u64;
        let (each, mut more) = (total / size, total % size);
        // The extra jobs stay with the processors that have most.
        let mut order = group.to_vec();
        order.sort_by_key(|&processor| std::cmp::Reverse(self.queues[processor]));
        let mut moved = 0;
        for processor in order {
            let extra = u64::from(more > 0);
            more -= extra;
            let queue = &mut self.queues[processor];
            moved += queue.saturating_sub(each + extra);
            *queue = each + extra;
        }
        moved
    }

    pub(super) fn queues_mut(&mut self) -> &mut Vec<u64> {
        &mut self.queues
    }

    pub(super) fn fresh_mut(&mut self) -> &mut Vec<u64> {
        &mut self.fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_queues_meet_in_the_middle() {
        let mut loads = Loads::new(vec![9, 0, 4], vec![0; 3]);
        assert_eq!(loads.equalise(&[1, 0]), 4);
        assert_eq!(loads.queues(), [5, 4, 4]);
        assert_eq!(loads.move_jobs(0, 0, 2), 0);
        assert_eq!(loads.queues(), [5, 4, 4]);
    }

    proptest! {
        #[test]
        fn as_even_as_can_be(queues in prop::collection::vec(0..50u64, 1..8)) {
            let mut loads = Loads::new(queues.clone(), vec![0; queues.len()]);
            let group: Vec<usize> = (0..queues.len()).collect();
            let moved = loads.equalise(&group);
            let (most, least) = (loads.queues().iter().max(), loads.queues().iter().min());
            prop_assert!(most.unwrap() - least.unwrap() <= 1);
            prop_assert_eq!(loads.queues().iter().sum::<u64>(), queues.iter().sum::<u64>());
            let gained: u64 = queues.iter().zip(loads.queues())
                .map(|(before, after)| after.saturating_sub(*before)).sum();
            prop_assert_eq!(moved, gained);
        }
    }
}
