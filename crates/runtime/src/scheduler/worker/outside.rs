//! Waiting for work that is not below this worker's frames.

use super::Worker;
use super::hand_over::WaiterSearch;
use super::wait::is_share;
use crate::latch::{Latch, LatchRef};
use crate::scheduler::call::Call;
use crate::scheduler::queue::{JobKind, Queued};
use crate::sync::Arc;

impl Worker {
    /// Waits for a call to another pool, or for an independent job. Meanwhile the worker runs its
    /// share of a broadcast and calls from other pools, and of both only those that cannot cause a
    /// deadlock.
    pub(crate) fn wait_outside(&self, latch: &Latch, call: Option<&Arc<Call>>) {
        self.shared.with_calls(|calls| {
            calls.push(LatchRef::new(latch));
        });
        let around = self.call();
        let own = call.or(around.as_ref());
        let may_run = |queued: &Queued| {
            let theirs = queued.job.call.as_ref();
            queued.kind == JobKind::Call && theirs.is_some_and(|theirs| theirs.may_interrupt(own))
        };
        let may_serve = |queued: &Queued| is_share(queued, own);
        let mut search = WaiterSearch::of(self);
        while !latch.is_set() {
            match self.find_queued(may_run) {
                Some(job) => {
                    search.end();
                    self.run_on_top(job);
                }
                None if self.serve_broadcast(&mut search, may_serve) => {}
                None if self.run_anything(&mut search) => {}
                None => {
                    let has_work = |_| {
                        let serves = self.is_queued(may_run) || self.seat().queue.any(may_serve);
                        serves || self.is_anything_to_run()
                    };
                    self.sleep_waiting(latch, &mut search, has_work);
                }
            }
        }
        drop(search);
        self.shared
            .with_calls(|calls| calls.retain(|waiting| !waiting.is_for(latch)));
    }
}
