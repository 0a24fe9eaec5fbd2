use std::time::{Duration, Instant};

use filch_deque::StealOutcome;
use filch_deque::asymmetric::is_heavy_costly;

use super::backoff::SEARCH;
use crate::sync::atomic::{AtomicU64, Ordering};

/// The recent cost of a forced steal: about a microsecond on a physical machine, ten times that on
/// a virtual one, where it also takes nearly as much of the victim's time.
pub(super) struct ForceCost {
    nanos: AtomicU64,
}

impl ForceCost {
    /// A steal that took less made no system call.
    const LEAST: Duration = Duration::from_nanos(300);
    /// In a steal that took more, the system ran another thread.
    const MOST: Duration = SEARCH;

    /// An initial guess.
    pub(super) fn new() -> Self {
        Self {
            nanos: AtomicU64::new(5000),
        }
    }

    /// Zero while a forced steal costs a fence.
    pub(super) fn cost(&self) -> Duration {
        if is_heavy_costly() {
            self.recent()
        } else {
            Duration::ZERO
        }
    }

    /// Ordering, here and below: a single number, of which any recent value will do.
    fn recent(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }

    pub(super) fn timed<T>(&self, steal: impl FnOnce() -> StealOutcome<T>) -> StealOutcome<T> {
        let began = Instant::now();
        let stolen = steal();
        self.learn(began.elapsed());
        stolen
    }

    fn learn(&self, took: Duration) {
        let cost = self.recent();
        if took >= Self::LEAST {
            let mean = (3 * cost + took.min(Self::MOST)) / 4;
            self.nanos.store(mean.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn the_cost_of_a_forced_steal_is_learned_within_bounds() {
        let force = ForceCost {
            nanos: AtomicU64::new(5000),
        };
        let cost_after = |took| {
            (0..100).for_each(|_| force.learn(took));
            force.recent()
        };
        let near = |cost: Duration, micros: u64| {
            cost.abs_diff(Duration::from_micros(micros)) < Duration::from_nanos(100)
        };
        assert!(near(cost_after(Duration::from_micros(13)), 13));
        assert!(
            near(cost_after(Duration::from_nanos(100)), 13),
            "a steal without a system call does not count"
        );
        assert!(near(cost_after(Duration::from_micros(1)), 1));
        assert!(
            near(cost_after(Duration::from_secs(1)), 20),
            "a steal that was preempted counts as 20 µs"
        );
    }
}
