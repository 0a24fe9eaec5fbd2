//! Waiting for work that is not below this worker's frames.

use super::Worker;
use super::hand_over::{WaiterSearch, Woken};
use super::wait::may_serve;
use crate::latch::{Latch, LatchRef};
use crate::scheduler::call::Call;
use crate::scheduler::job::Job;
use crate::scheduler::needs::{Awaited, AwaitedActivity};
use crate::scheduler::record;
use crate::sync::Arc;

impl Worker {
    /// Waits for a call to another pool, for an independent job, or for the end of another pool.
    /// Meanwhile the worker runs its share of a broadcast and calls from other pools, and of both
    /// only those that cannot cause a deadlock.
    pub(crate) fn wait_outside(&self, latch: &Latch, awaited: Awaited<'_>) {
        let _waits = record::OnTop::begin();
        self.without_unwinding(|| self.wait_and_serve(latch, awaited));
    }

    fn wait_and_serve(&self, latch: &Latch, awaited: Awaited<'_>) {
        let around = self.call();
        self.shared.with_calls(|calls| {
            calls.push(WaitsOutside {
                latch: LatchRef::new(latch),
                awaited: awaited.to_owned(),
                around: around.clone(),
            });
        });
        let may_run = |job: &Job| may_serve(job, awaited, around.as_ref()) && job.call.is_some();
        let may_run_share = |job: &Job| may_serve(job, awaited, around.as_ref());
        let mut search = WaiterSearch::of(self);
        while !latch.is_set() {
            match self.find_queued(|queue| queue.pop_call(may_run)) {
                Some(job) => {
                    search.end();
                    self.run_on_top(job);
                }
                None if self.serve_broadcast(&mut search, may_run_share) => {}
                None if self.run_anything(&mut search) => {}
                None => {
                    let has_work = |_| {
                        let serves = self.is_queued(|queue| queue.has_call(may_run))
                            || self.seat().queue.has_share(may_run_share);
                        serves || self.is_anything_to_run()
                    };
                    if self.sleep_waiting(latch, &mut search, has_work) == Woken::ByStall {
                        self.end_stall(&mut search);
                    }
                }
            }
        }
        let was_woken = search.is_on();
        drop(search);
        let own = self.shared.with_calls(|calls| {
            let own = calls.iter().position(|waits| waits.latch.is_for(latch));
            own.map(|own| calls.swap_remove(own))
        });
        // Outside the lock, since it may be the last to hold a call.
        drop(own);
        if was_woken {
            // It was woken for a call, and has found its latch set instead.
            self.shared.wake_for_calls();
        }
    }
}

/// A worker that waits for another pool, for an independent job, or for the end of another pool.
pub(crate) struct WaitsOutside {
    latch: LatchRef,
    awaited: AwaitedActivity,
    /// The call within which it waits.
    around: Option<Arc<Call>>,
}

impl WaitsOutside {
    /// Whether it may serve this call.
    pub(crate) fn may_serve(&self, call: &Arc<Call>) -> bool {
        call.may_be_served(self.awaited.as_awaited(), self.around.as_ref())
    }

    /// Wakes the worker, if it sleeps. Whether it did.
    pub(crate) fn wake(&self) -> bool {
        self.latch.wake()
    }
}
