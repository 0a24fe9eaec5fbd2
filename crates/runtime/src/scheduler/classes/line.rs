//! The order of the classes, without threads.

use std::collections::VecDeque;

use crate::scheduler::queue::shrink;

/// The class of a job that was spawned with [`Pool::spawn_in`](crate::Pool::spawn_in).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Begins before the others: requests for which a user waits.
    High,
    /// In between.
    Normal,
    /// Begins when nothing else waits: batches, maintenance.
    Low,
}

const CLASSES: usize = 3;

/// How many turns in a row go to higher classes while a class waits, at most.
pub(super) const PATIENCE: u32 = 16;

/// Jobs of all classes. Within a class, first come, first served.
///
/// The rule: the highest class that has a job is next. But a class that waited while [`PATIENCE`]
/// turns went to higher ones is next itself, the highest such class first.
pub(super) struct Line<J> {
    lanes: [Lane<J>; CLASSES],
}

struct Lane<J> {
    jobs: VecDeque<J>,
    /// How many turns went to higher classes since this class had one, or since it had no job.
    passed_over: u32,
}

impl<J> Line<J> {
    pub(super) fn new() -> Self {
        let lane = || Lane {
            jobs: VecDeque::new(),
            passed_over: 0,
        };
        Self {
            lanes: core::array::from_fn(|_| lane()),
        }
    }

    pub(super) fn push(&mut self, class: Class, job: J) {
        self.lanes[class as usize].jobs.push_back(job);
    }

    /// The job whose turn it is.
    pub(super) fn pop(&mut self) -> Option<J> {
        let next = self.next()?;
        for lower in &mut self.lanes[next + 1..] {
            lower.passed_over += u32::from(!lower.jobs.is_empty());
        }
        let lane = &mut self.lanes[next];
        lane.passed_over = 0;
        let job = lane.jobs.pop_front();
        shrink(&mut lane.jobs);
        job
    }

    fn next(&self) -> Option<usize> {
        let impatient = |lane: &Lane<J>| lane.passed_over >= PATIENCE;
        let waits = |lane: &Lane<J>| !lane.jobs.is_empty();
        let by_right = self.lanes.iter().position(impatient);
        by_right.or_else(|| self.lanes.iter().position(waits))
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    const ALL: [Class; CLASSES] = [Class::High, Class::Normal, Class::Low];

    fn line(jobs: &[(Class, usize)]) -> Line<(Class, usize)> {
        let mut line = Line::new();
        for &(class, number) in jobs {
            line.push(class, (class, number));
        }
        line
    }

    #[test]
    fn higher_classes_first_and_then_by_age() {
        let jobs = [Class::Low, Class::High, Class::Normal].repeat(2);
        let jobs: Vec<_> = jobs.into_iter().zip(0..).collect();
        let mut line = line(&jobs);
        let order: Vec<usize> = std::iter::from_fn(|| line.pop()).map(|job| job.1).collect();
        assert_eq!(order, [1, 4, 2, 5, 0, 3]);
    }

    /// Under a flood of the highest class, each lower one has its turns: one in PATIENCE + 2.
    #[test]
    fn a_flood_starves_no_class() {
        let mut line = Line::new();
        for class in ALL {
            (0..1000).for_each(|_| line.push(class, class));
        }
        let turns: Vec<Class> = (0..900).filter_map(|_| line.pop()).collect();
        let period = PATIENCE as usize + 2;
        for window in turns.windows(period) {
            assert!(ALL.iter().all(|class| window.contains(class)), "{window:?}");
        }
    }

    /// The promise under every pattern of arrivals, by random walks over short queues: a job that
    /// is the first of its class begins within PATIENCE + 2 turns.
    #[test]
    fn the_first_of_a_class_waits_for_a_bounded_number_of_turns() {
        let mut state = 1u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        let mut longest = 0;
        for _ in 0..300 {
            let mut line = Line::new();
            let weights = [random(5), random(5), random(3)];
            let mut waited = [0u32; CLASSES];
            for _ in 0..2000 {
                for (class, weight) in ALL.into_iter().zip(weights) {
                    (0..random(weight + 1)).for_each(|_| line.push(class, class));
                }
                let waiting = ALL.map(|class| !line.lanes[class as usize].jobs.is_empty());
                let Some(turn) = line.pop() else { continue };
                for class in ALL {
                    let waited = &mut waited[class as usize];
                    let is_passed_over = waiting[class as usize] && class != turn;
                    *waited = if is_passed_over { *waited + 1 } else { 0 };
                    longest = longest.max(*waited);
                }
            }
        }
        assert_eq!(longest, PATIENCE + 1);
    }

    /// A class that had nothing to do has not waited.
    #[test]
    fn patience_begins_with_the_wait() {
        let mut line = Line::new();
        (0..100).for_each(|_| line.push(Class::High, Class::High));
        assert!((0..50).all(|_| line.pop() == Some(Class::High)));
        line.push(Class::Low, Class::Low);
        let before_low = std::iter::from_fn(|| line.pop()).take_while(|turn| *turn == Class::High);
        assert_eq!(before_low.count(), PATIENCE as usize);
    }
}
