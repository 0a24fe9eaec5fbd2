//! Waiting for work that is not below this worker's frames.

use super::Worker;
use super::wait::{Search, is_share};
use crate::latch::{Latch, Waiting};
use crate::scheduler::call::Call;
use crate::scheduler::queue::{Kind, Queued};
use crate::sync::Arc;

impl Worker {
    /// Waits for work that is not below this worker's frames: a call to another pool, or an independent
    /// job. Only calls from other pools are served meanwhile, and only those that do no harm.
    pub(crate) fn wait_outside(&self, latch: &Latch, call: Option<&Arc<Call>>) {
        self.shared.with_calls(|calls| {
            calls.push(Waiting::new(latch));
        });
        let around = self.call();
        let may_run = |queued: &Queued| {
            let theirs = queued.job.call.as_ref();
            queued.kind == Kind::Call
                && theirs.is_some_and(|theirs| theirs.may_interrupt(call, around.as_ref()))
        };
        let may_serve = |queued: &Queued| is_share(queued, call, around.as_ref());
        let mut search = Search::of(self);
        while !latch.is_set() {
            match self.find_queued(may_run) {
                Some(job) => {
                    search.end();
                    self.run_on_top(job);
                }
                None if self.serve_broadcast(&mut search, may_serve) => {}
                None => {
                    let is_called = || self.is_queued(may_run) || self.seat().queue.any(may_serve);
                    self.sleep_waiting(latch, &mut search, is_called);
                }
            }
        }
        drop(search);
        self.shared
            .with_calls(|calls| calls.retain(|waiting| !waiting.is_for(latch)));
    }
}
