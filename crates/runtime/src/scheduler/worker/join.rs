//! Joins: the first closure runs here, the second here or on a thief.

use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};

use filch_deque::{Bottom, Take};

use super::Worker;
use super::current::here;
use super::fork::fork;
use crate::scheduler::job::{JobHead, JoinJob, Migrated, discard};

/// Runs `a` here, and `b` here or on a thief; `b` is told which. `deque` belongs to the current
/// thread's worker.
#[inline]
pub(crate) fn join<A, B, RA, RB>(deque: &Bottom<JobHead>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(Migrated) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let job = JoinJob::new(b);
    fork(deque, job.head());
    let unjoined = Unjoined { job: &job };
    let ra = a();
    core::mem::forget(unjoined);
    let rb = match deque.take(job.head()) {
        // SAFETY: the job was taken back.
        Take::Mine => unsafe { job.run_here() },
        found => join_slowly(&job, found),
    };
    (ra, rb)
}

/// The second closure is not at the bottom of the deque: newer jobs lie above it, or it was stolen.
#[cold]
#[inline(never)]
fn join_slowly<B, R>(job: &JoinJob<B, R>, found: Take) -> R
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
{
    let worker = here();
    if worker.take_back(job.head(), found) {
        // SAFETY: the job was taken back.
        return unsafe { job.run_here() };
    }
    // The deque is empty now: thieves take the oldest item first, and they have taken the newest.
    worker.wait_for(job.latch(worker), worker.deque.position());
    // SAFETY: the latch is set.
    match unsafe { job.result() } {
        Ok(result) => result,
        Err(panic) => panic::resume_unwind(panic),
    }
}

impl Worker {
    /// Runs the jobs that lie above `job` in the deque. True if `job` was then taken back.
    fn take_back(&self, job: NonNull<JobHead>, mut found: Take) -> bool {
        loop {
            match found {
                Take::Mine => return true,
                Take::Stolen => return false,
                Take::Covered => {
                    // `take` hid the item above for a moment, and a worker that fell asleep may
                    // have missed it.
                    if self.deque.is_attention_raised() {
                        self.attend();
                    }
                    if let Some(above) = self.pop() {
                        above.run(self);
                    }
                }
            }
            found = self.deque.take(job);
        }
    }
}

/// Completes a join whose first closure panicked. The second closure runs all the same, and ends
/// before the frame that holds it.
struct Unjoined<'a, B: FnOnce(Migrated) -> R + Send, R: Send> {
    job: &'a JoinJob<B, R>,
}

impl<B: FnOnce(Migrated) -> R + Send, R: Send> Drop for Unjoined<'_, B, R> {
    // Inlined, so that the field stays in a register while nothing panics.
    #[inline(always)]
    fn drop(&mut self) {
        join_after_panic(self.job);
    }
}

#[cold]
#[inline(never)]
fn join_after_panic<B, R>(job: &JoinJob<B, R>)
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
{
    let joined = AssertUnwindSafe(|| join_slowly(job, here().deque.take(job.head())));
    // The caller gets the panic of the first closure.
    discard(panic::catch_unwind(joined));
}
