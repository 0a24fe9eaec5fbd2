//! Work that no thread would come for, because all of them wait.
//!
//! A waiting worker runs only what is below its latch and hands over the rest. That fails when the
//! pool has started all its spare threads and every one of them waits too. In a pool that runs
//! rayon's programs, what is left lying may be what all of them depend on: a thread that is blocked
//! in code of the user waits for a spawned job, for example. Upstream's waiting worker would run
//! the job.
//!
//! So one waiter *watches*: it parks for a while and looks whether the pool is still *stalled*. If
//! so, it runs any job on top of its frames, as upstream's worker does. It is patient at first:
//! one of the threads that run may end its job and come for the work, and then stacks stay within
//! S1. A stall that it had to end makes it less patient, one that ended by itself more.

use std::time::Duration;

use super::placement::Comes;
use super::shared::PoolShared;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicU32, Ordering};

/// How long a waiter watches a stall before it ends it, in microseconds.
pub(super) struct Patience(AtomicU32);

const MOST: u32 = 30_000;
const LEAST: u32 = 100;

impl Patience {
    pub(super) fn new() -> Self {
        Self(AtomicU32::new(MOST))
    }

    /// Ordering: a guess that orders nothing.
    fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, patience: u32) {
        self.0.store(patience.clamp(LEAST, MOST), Ordering::Relaxed);
    }
}

impl PoolShared {
    /// How long a waiter watches a stall before it ends it.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_micros(self.patience.get().into())
    }

    /// A stall was ended by a waiter, or by itself.
    pub(crate) fn stall_has_ended(&self, by_waiter: bool) {
        let patience = self.patience.get();
        let next = if by_waiter {
            patience / 2
        } else {
            2 * patience
        };
        self.patience.set(next);
    }

    /// Whether there is work, fewer threads are active than there are workers, and no thread could
    /// come but one that waits, such as that of seat `index`.
    pub(crate) fn is_stalled(&self, index: usize) -> bool {
        self.sleep.wants_waiter() && (self.seats[index].has_forks() || self.has_work_for(index))
    }

    /// Wakes a thread that does not wait, or starts one. False if there is none.
    pub(crate) fn wake_free_thread(self: &Arc<Self>, comes: Comes) -> bool {
        self.wake_any(comes) || self.start_spare()
    }

    /// Lets a waiting worker watch if the pool is stalled. The caller, of seat `index`, does not
    /// watch.
    pub(crate) fn hand_over_to_waiter(&self, index: usize) {
        if self.is_stalled(index) {
            self.wake_waiter();
        }
    }
}
