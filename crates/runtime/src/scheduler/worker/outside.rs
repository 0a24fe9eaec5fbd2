//! Waiting for work that is not below this worker's frames.

use super::Worker;
use super::hand_over::{WaiterSearch, Woken};
use super::wait::may_serve;
use crate::latch::{Latch, LatchRef};
use crate::scheduler::job::Job;
use crate::scheduler::needs::Awaited;

impl Worker {
    /// Waits for a call to another pool, for an independent job, or for the end of another pool.
    /// Meanwhile the worker runs its share of a broadcast and calls from other pools, and of both
    /// only those that cannot cause a deadlock.
    pub(crate) fn wait_outside(&self, latch: &Latch, awaited: Awaited<'_>) {
        self.without_unwinding(|| self.wait_and_serve(latch, awaited));
    }

    fn wait_and_serve(&self, latch: &Latch, awaited: Awaited<'_>) {
        self.shared.with_calls(|calls| {
            calls.push(LatchRef::new(latch));
        });
        let around = self.call();
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
        drop(search);
        self.shared
            .with_calls(|calls| calls.retain(|waiting| !waiting.is_for(latch)));
    }
}
