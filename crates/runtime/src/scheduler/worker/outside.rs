//! Waiting for work that is not below this worker's frames.

use super::Worker;
use super::hand_over::WaiterSearch;
use super::wait::is_share;
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
        let may_run = |job: &Job| {
            let theirs = job.call.as_ref();
            theirs.is_some_and(|theirs| theirs.may_interrupt(awaited, around.as_ref()))
        };
        // An independent job that this worker waits for may belong to the call around it, and may
        // broadcast. Only this worker can run its share.
        let awaited_share = match (awaited, &around) {
            (Awaited::Call(_), _) | (_, None) => awaited,
            (_, Some(around)) => Awaited::Call(around),
        };
        let may_serve = |job: &Job| is_share(job, awaited_share, around.as_ref()) || may_run(job);
        let mut search = WaiterSearch::of(self);
        while !latch.is_set() {
            let mut queues = self.shared.seats.iter().map(|seat| &seat.queue);
            match queues.find_map(|queue| queue.pop_call(may_run)) {
                Some(job) => {
                    search.end();
                    self.run_on_top(job);
                }
                None if self.serve_broadcast(&mut search, may_serve) => {}
                None => {
                    let has_work = |_| {
                        let mut seats = self.shared.seats.iter();
                        seats.any(|seat| seat.queue.has_call(may_run))
                            || self.seat().queue.has_share(may_serve)
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
