//! On which processor a woken thread runs.
//!
//! Linux may wake a thread on the processor of the thread that wakes it, although others are idle.
//! It does so as a rule on virtual machines: a processor without work halts, the hypervisor then
//! runs something else on it, and Linux takes that for "not available" (`vcpu_is_preempted`). The
//! woken worker interrupts the one that has forked, or waits behind it, until Linux balances its
//! queues some milliseconds later. A parallel section that is shorter runs on one processor.
//!
//! So the woken thread compares. If it was to run beside the waking thread and began on the same
//! processor, then the next wake-ups of this pool are *directed*: the waking thread takes its own
//! processor out of the sleeper's affinity mask, and puts it back when the sleeper has been
//! unparked. Linux has chosen another processor by then, and is free to balance its queues. If the
//! woken thread comes first, it restores its mask itself, before it does anything else. A wake-up
//! now and then is left to Linux again, in case its user has moved the threads. A directed wake-up
//! that is not in time has met a busy machine, or a process of a higher priority: then some are
//! left to Linux, by exponential back-off. Where Linux chooses well, no mask is ever changed.

#[cfg(all(target_os = "linux", not(any(loom, shuttle, miri))))]
mod affinity;
#[cfg(not(all(target_os = "linux", not(any(loom, shuttle, miri)))))]
#[path = "placement/unknown.rs"]
mod affinity;

use std::time::{Duration, Instant};

use affinity::{Directed, Processor};

use super::BuildError;
use super::processors::processors;
use super::shared::PoolShared;
use crate::scheduler::process::ThreadId;
use crate::sync::atomic::{AtomicI32, Ordering};

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
    /// Whether any may be. `None` if so, but not by a thread that may be forbidden to do it.
    directs: Option<bool>,
    /// What becomes of the next ones, by value:
    ///
    /// | value | the next wake-up |
    /// |---|---|
    /// | n > 0 | and the n − 1 after it are directed |
    /// | 0 | is left to the system, and compared |
    /// | n < 0 | and the −n − 1 after it are left to the system, and not compared |
    next: AtomicI32,
    /// How many wake-ups are left to the system after the next directed one that is not in time.
    back_off: AtomicI32,
}

/// For programs that cannot set it where the pool is built, such as those with rayon.
const VARIABLE: &str = "FILCH_DIRECTED_WAKE_UPS";

/// Whether wake-ups may be directed, as it was set or as the environment says. `None` if neither
/// says it.
pub(super) fn directs(set: Option<bool>) -> Result<Option<bool>, BuildError> {
    match (set, std::env::var_os(VARIABLE)) {
        (None, Some(text)) => match text.to_str().and_then(parsed) {
            None => Err(BuildError::DirectedWakeUps),
            directs => Ok(directs),
        },
        (set, _) => Ok(set),
    }
}

fn parsed(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// How many wake-ups are directed because one began on the waking thread's processor.
const DIRECTED: i32 = 32;

/// How many are left to the system after the first directed one that was not in time. Now and then
/// one is late on a quiet machine.
const LEAST_BACK_OFF: i32 = 8;

/// The same after many in a row. Beside a process that keeps the other processors, a directed
/// wake-up may take tens of milliseconds: no more than one in a thousand should.
const MOST_BACK_OFF: i32 = 1024;

/// A directed wake-up that took longer had to wait for its processor: to start one that has halted
/// takes some tens of microseconds.
const NOT_IN_TIME: Duration = Duration::from_millis(1);

/// A wake-up, from the waking thread for the woken one.
pub(crate) struct WakeUp {
    /// The waking thread's processor.
    processor: Processor,
    at: Instant,
    is_directed: bool,
    /// What is to be undone, by the first of the two threads that comes to it. Both hold the lock
    /// of the wake-up meanwhile, so the woken thread has its own mask when it goes on.
    changed: Option<Directed>,
}

impl WakeUp {
    /// Gives the sleeper its mask back, unless it has it.
    pub(crate) fn restore(&mut self) {
        if let Some(changed) = self.changed.take() {
            changed.undo();
        }
    }
}

impl Placement {
    pub(super) fn new(directs: Option<bool>) -> Self {
        Self {
            directs,
            next: AtomicI32::new(0),
            back_off: AtomicI32::new(LEAST_BACK_OFF),
        }
    }

    /// Called right before `sleeper` is unparked, by a thread that goes on. `None` if there is
    /// nothing to compare.
    fn begin(&self, sleeper: ThreadId) -> Option<WakeUp> {
        if self.directs == Some(false) {
            return None;
        }
        let processor = Processor::current()?;
        // Ordering, here and below: a guess that orders nothing.
        let next = self.next.load(Ordering::Relaxed);
        self.next.store(next - next.signum(), Ordering::Relaxed);
        if next < 0 {
            return None;
        }
        let may_direct = next > 0 && (self.directs == Some(true) || !affinity::may_be_forbidden());
        let changed = may_direct
            .then(|| Directed::away_from(processor, sleeper))
            .flatten();
        Some(WakeUp {
            processor,
            at: Instant::now(),
            is_directed: changed.is_some(),
            changed,
        })
    }

    /// Called by the thread that was woken, which has its mask.
    pub(crate) fn end(&self, wake_up: &WakeUp) {
        if wake_up.is_directed {
            self.learn_of_directed(wake_up.at.elapsed());
        } else {
            self.learn_of_compared(Processor::current() == Some(wake_up.processor));
        }
    }

    /// A directed wake-up took so long.
    fn learn_of_directed(&self, took: Duration) {
        if took <= NOT_IN_TIME {
            self.back_off.store(LEAST_BACK_OFF, Ordering::Relaxed);
            return;
        }
        let back_off = self.back_off.load(Ordering::Relaxed);
        self.next.store(-back_off, Ordering::Relaxed);
        let longer = MOST_BACK_OFF.min(2 * back_off);
        self.back_off.store(longer, Ordering::Relaxed);
    }

    /// A wake-up that was left to the system ended on the processor of the waking thread, or did
    /// not.
    fn learn_of_compared(&self, is_same_processor: bool) {
        // Unless another thread has just learned that it is of no use.
        if is_same_processor && self.next.load(Ordering::Relaxed) >= 0 {
            self.next.store(DIRECTED, Ordering::Relaxed);
        }
    }
}

impl PoolShared {
    /// Wakes an idle thread. False if none sleeps.
    pub(crate) fn wake_any(&self, comes: Comes) -> bool {
        // In a forked process the sleepers are threads of the parent, and so are those whose
        // affinity mask we would change.
        if self.is_other_process() {
            return false;
        }
        let Some(index) = self.sleep.take_any() else {
            return false;
        };
        let seat = &self.seats[index];
        // With more active threads than processors, all processors have work.
        let is_beside = comes == Comes::Beside && self.sleep.counts().active() <= processors();
        let wake_up = is_beside
            .then(|| self.placement.begin(seat.sleeper()))
            .flatten();
        let is_directed = wake_up.as_ref().is_some_and(|wake_up| wake_up.is_directed);
        if wake_up.is_some() {
            seat.set_wake_up(wake_up);
        }
        seat.parker.unpark();
        if is_directed {
            seat.restore_sleeper();
        }
        true
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    fn next(placement: &Placement) -> i32 {
        placement.next.load(Ordering::Relaxed)
    }

    #[test]
    fn words_of_the_environment() {
        assert_eq!(["on", "off"].map(parsed), [true, false].map(Some));
        assert_eq!(["", "true", "1", "On", " on"].map(parsed), [None; 5]);
        assert_eq!(directs(Some(true)).unwrap(), Some(true));
        assert_eq!(directs(Some(false)).unwrap(), Some(false));
    }

    #[test]
    fn a_wake_up_on_the_same_processor_directs_the_next_ones() {
        let placement = Placement::new(None);
        placement.learn_of_compared(false);
        assert_eq!(next(&placement), 0);
        placement.learn_of_compared(true);
        assert_eq!(next(&placement), DIRECTED);
    }

    #[test]
    fn directed_wake_ups_that_wait_for_a_processor_back_off() {
        let placement = Placement::new(None);
        placement.learn_of_compared(true);
        placement.learn_of_directed(NOT_IN_TIME);
        assert_eq!(next(&placement), DIRECTED, "it was in time");
        for back_off in [8, 16, 32, 64, 128, 256, 512, 1024, 1024] {
            placement.learn_of_directed(2 * NOT_IN_TIME);
            assert_eq!(next(&placement), -back_off);
            // One that was left to the system before ends now.
            placement.learn_of_compared(true);
            assert_eq!(next(&placement), -back_off);
        }
        placement.learn_of_directed(NOT_IN_TIME);
        placement.learn_of_directed(2 * NOT_IN_TIME);
        assert_eq!(next(&placement), -LEAST_BACK_OFF);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pool_may_leave_its_wake_ups_to_the_system() {
        let begins = |placement: &Placement| placement.begin(ThreadId::from_number(0)).is_some();
        for (directs, left) in [
            (None, DIRECTED - 1),
            (Some(true), DIRECTED - 1),
            (Some(false), DIRECTED),
        ] {
            let placement = Placement::new(directs);
            placement.next.store(DIRECTED, Ordering::Relaxed);
            assert_eq!(begins(&placement), directs != Some(false));
            assert_eq!(next(&placement), left);
        }
        let placement = Placement::new(None);
        placement.next.store(-2, Ordering::Relaxed);
        let (first, second, third) = (begins(&placement), begins(&placement), begins(&placement));
        assert_eq!((first, second, third), (false, false, true));
        assert_eq!(next(&placement), 0);
    }
}
