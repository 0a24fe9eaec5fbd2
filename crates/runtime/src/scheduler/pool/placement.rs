//! On which processor a woken thread runs.
//!
//! Linux may wake a thread on the processor of the thread that wakes it, although others are idle.
//! It does so as a rule on virtual machines: a processor without work halts, the hypervisor then
//! runs something else on it, and Linux takes that for "not available"
//! (`vcpu_is_preempted`). The woken worker waits behind the one that has forked until Linux balances
//! its queues, some milliseconds later. A parallel section that is shorter runs on one processor.
//!
//! So the woken thread compares. If it was to run beside the waking thread, began on the same
//! processor, and began *late*, then the next wake-ups of this pool are *directed*: the waking
//! thread takes its own processor out of the sleeper's affinity mask, and the woken thread puts it
//! back. A wake-up now and then is left to Linux again, in case the machine has become busy, or
//! its user has moved the threads. Where Linux chooses well, no mask is ever changed.

#[cfg(all(target_os = "linux", not(any(loom, shuttle, miri))))]
mod affinity;
#[cfg(not(all(target_os = "linux", not(any(loom, shuttle, miri)))))]
#[path = "placement/unknown.rs"]
mod affinity;

use std::time::{Duration, Instant};

use affinity::{Directed, Processor};

use super::processors::processors;
use super::shared::PoolShared;
use crate::scheduler::process::ThreadId;
use crate::sync::atomic::{AtomicU32, Ordering};

/// What the thread that wakes another one does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comes {
    /// It goes on, and the other thread should run beside it.
    Beside,
    /// It is about to leave its processor, or may be.
    Instead,
}

/// Whether the wake-ups of a pool are directed.
pub(crate) struct Placement {
    /// Whether any may be.
    directs: bool,
    /// How many of the next ones are.
    directed: AtomicU32,
}

/// How many wake-ups are directed because one was late.
const DIRECTED: u32 = 32;

/// A thread that began later than that on the waking thread's processor could have begun sooner on
/// another one, even if that had to be started.
const LATE: Duration = Duration::from_micros(80);

/// A wake-up, from the waking thread for the woken one.
pub(crate) struct WakeUp {
    /// The waking thread's processor.
    processor: Processor,
    at: Instant,
    directed: Option<Directed>,
}

impl Placement {
    pub(super) fn new(directs: bool) -> Self {
        Self {
            directs,
            directed: AtomicU32::new(0),
        }
    }

    /// Called right before `sleeper` is unparked, by a thread that goes on. `None` if there is
    /// nothing to compare.
    fn begin(&self, sleeper: ThreadId) -> Option<WakeUp> {
        if !self.directs {
            return None;
        }
        let processor = Processor::current()?;
        let one_less = |directed: u32| directed.checked_sub(1);
        // Ordering, here and below: a guess that orders nothing.
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let is_directed = self.directed.fetch_update(set, fetch, one_less).is_ok();
        Some(WakeUp {
            processor,
            at: Instant::now(),
            directed: is_directed
                .then(|| Directed::away_from(processor, sleeper))
                .flatten(),
        })
    }

    /// Called by the thread that was woken.
    pub(crate) fn end(&self, wake_up: WakeUp) {
        match wake_up.directed {
            Some(directed) => directed.undo(),
            None => self.learn(
                Processor::current() == Some(wake_up.processor),
                wake_up.at.elapsed(),
            ),
        }
    }

    /// A wake-up that was left to the system took so long.
    fn learn(&self, is_same_processor: bool, took: Duration) {
        if is_same_processor && took > LATE {
            self.directed.store(DIRECTED, Ordering::Relaxed);
        }
    }
}

impl PoolShared {
    /// Wakes an idle thread. False if none sleeps.
    pub(crate) fn wake_any(&self, comes: Comes) -> bool {
        let Some(index) = self.sleep.take_any() else {
            return false;
        };
        let seat = &self.seats[index];
        // With more active threads than processors, all processors have work.
        if comes == Comes::Beside && self.sleep.counts().active() <= processors() {
            seat.set_wake_up(self.placement.begin(seat.sleeper()));
        }
        seat.parker.unpark();
        true
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn a_late_wake_up_on_the_same_processor_directs_the_next_ones() {
        let placement = Placement::new(true);
        let directed = || placement.directed.load(Ordering::Relaxed);
        placement.learn(true, LATE);
        assert_eq!(directed(), 0, "it was not late");
        placement.learn(false, 2 * LATE);
        assert_eq!(directed(), 0, "another processor took long to start");
        placement.learn(true, 2 * LATE);
        assert_eq!(directed(), DIRECTED);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pool_may_leave_its_wake_ups_to_the_system() {
        for (directs, left) in [(true, DIRECTED - 1), (false, DIRECTED)] {
            let placement = Placement::new(directs);
            placement.directed.store(DIRECTED, Ordering::Relaxed);
            let is_compared = placement.begin(ThreadId::from_number(0)).is_some();
            assert_eq!(is_compared, directs);
            assert_eq!(placement.directed.load(Ordering::Relaxed), left);
        }
    }
}
