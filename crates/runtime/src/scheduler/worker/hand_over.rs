//! Handing over: a worker that waits or blocks leaves its processor to another thread.
//!
//! A waiter may not run what is not below its latch, and if it slept with its processor, that
//! processor would idle while there is work: the time bound of BL99 would be lost. So the pool
//! counts its *active* threads, and when a waiter falls asleep it is not one of them. If there is
//! work that others may run, it wakes an idle thread or starts a spare one, and from then on a fork
//! does so too, as long as fewer threads are active than the pool has workers.
//!
//! When the latch is set, the waiter goes on at once. The thread that set the latch has just ended
//! a stolen job. So it either has no work, or it waits itself, for a latch further up; it sees that
//! too many threads are active and sleeps. In effect it passes its processor to the waiter, as the
//! processor that enables the parent thread goes on with that in BL99. docs/waiting.md has
//! the argument that live stacks stay within S1·P, and what is known of the time.

use core::cell::Cell;
use std::time::Instant;

use super::Worker;
use crate::latch::Latch;
use crate::scheduler::pool::Comes;
use crate::sleep::{Parker, TIMED_PARK, Unparked, steps};

impl Worker {
    /// Sleeps until `latch` is set or there may be work that this worker may run while it waits,
    /// and hands over the rest. `has_work` is told whether the pool is full without this thread.
    pub(super) fn sleep_waiting(
        &self,
        latch: &Latch,
        search: &mut WaiterSearch<'_>,
        has_work: impl Fn(bool) -> bool,
    ) -> Woken {
        self.shared.assert_same_process();
        let (seat, parker) = (self.seat(), self.parker());
        // In blocking code this thread is not active already.
        let was_blocked = self.is_blocked.replace(false);
        if was_blocked {
            self.shared.sleep.tally().unblock();
        }
        self.lay_number_down();
        let began = Instant::now();
        let is_stalled = Cell::new(false);
        let sleeper = steps::Sleeper {
            searches: search.is_on,
            has_work,
            hand_over: || self.hand_over(),
            timed_park: || seat.park_timeout_on(parker, TIMED_PARK),
            park: || {
                let unparked = self.park_or_watch(parker);
                is_stalled.set(unparked.is_none());
                unparked
            },
        };
        let unparked = seat.sleep_slot.while_asleep_on(latch, || {
            let attentions = self.shared.attentions();
            steps::sleep_waiting(&self.shared.sleep, latch, parker, attentions, sleeper)
        });
        let waited = began.elapsed().as_nanos() as u64;
        seat.counters.waiting_nanos.add(waited);
        if let Some(reason) = unparked {
            search.is_on = reason == Unparked::ToSearch;
        }
        // While it waits for its number, another thread has to search.
        self.take_number_up(|| search.end());
        if was_blocked {
            self.shared.sleep.tally().block();
            self.is_blocked.set(true);
        }
        match unparked {
            Some(_) => Woken::ByAnother,
            None if is_stalled.get() => Woken::ByStall,
            None => Woken::AtOnce,
        }
    }

    /// Parks, or watches while the pool is stalled. `None` if it is for this thread to end the
    /// stall.
    fn park_or_watch(&self, parker: &Parker) -> Option<Unparked> {
        let (seat, shared) = (self.seat(), &self.shared);
        while shared.is_stalled(self.index) {
            shared.sleep.begin_watch();
            let unparked = seat.park_timeout_on(parker, shared.patience());
            shared.sleep.end_watch();
            if unparked.is_some() {
                shared.hand_over_to_waiter(self.index);
                return unparked;
            }
            let is_stalled =
                shared.is_stalled(self.index) && !shared.wake_free_thread(Comes::Instead);
            shared.stall_has_ended(is_stalled);
            if is_stalled {
                return None;
            }
        }
        Some(seat.park_on(parker))
    }

    /// Runs `work`, which may block this thread, and hands over meanwhile.
    pub(crate) fn blocking<R>(&self, work: impl FnOnce() -> R) -> R {
        let _blocked = self.block();
        work()
    }

    /// This thread is not active until the guard is dropped.
    pub(super) fn block(&self) -> Blocked<'_> {
        let is_outermost = !self.is_blocked.replace(true);
        if is_outermost {
            let attentions = self.shared.attentions();
            steps::block(&self.shared.sleep, attentions, || {
                self.hand_over();
                self.shared.hand_over_to_waiter(self.index);
            });
        }
        let worker = self;
        Blocked {
            worker,
            is_outermost,
        }
    }

    /// Lets another thread come for the work that there is, since this one is not active any more.
    fn hand_over(&self) {
        let Some(searchers) = self.shared.sleep.searchers_if_one_could_come() else {
            return;
        };
        let has_work = match searchers {
            0 => self.seat().has_forks() || self.shared.has_work_for(self.index),
            // With many workers the searchers alone come too slowly: a thread is woken for each job
            // that they leave.
            _ => self.shared.has_more_forks_than(searchers),
        };
        if has_work && self.wake_one(Comes::Instead) {
            self.seat().counters.hand_overs.add(1);
        }
    }
}

/// Why a waiting thread goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Woken {
    /// Another thread has set the latch, or has work for this one.
    ByAnother,
    /// It has found work, or the latch set, before it slept.
    AtOnce,
    /// There is work, and no other thread could come.
    ByStall,
}

/// A thread that is blocked, and so not active.
pub(super) struct Blocked<'worker> {
    worker: &'worker Worker,
    is_outermost: bool,
}

impl Drop for Blocked<'_> {
    fn drop(&mut self) {
        if self.is_outermost {
            self.worker.is_blocked.set(false);
            self.worker.shared.sleep.tally().unblock();
        }
    }
}

/// Whether a waiting worker counts as a searcher: it was woken because there may be work below its
/// latch.
pub(super) struct WaiterSearch<'worker> {
    worker: &'worker Worker,
    is_on: bool,
}

impl<'worker> WaiterSearch<'worker> {
    pub(super) fn of(worker: &'worker Worker) -> Self {
        let is_on = false;
        Self { worker, is_on }
    }

    /// Whether the worker was woken, and has found nothing so far.
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// The worker has found work, or waits no more.
    pub(super) fn end(&mut self) {
        if core::mem::take(&mut self.is_on) {
            self.worker.end_search();
        }
    }
}

impl Drop for WaiterSearch<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
