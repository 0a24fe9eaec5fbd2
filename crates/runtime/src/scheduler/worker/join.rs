//! Two children of one frame.

use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};

use filch_deque::{Bottom, Take};

use super::Worker;
use super::current::here;
use super::fork::fork;
use crate::scheduler::job::{JobHead, JoinJob, Migrated, discard};

/// Runs `a` here and `b` here or on a thief, which `b` is told. `deque` is the current thread's.
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
        // SAFETY: it was taken back.
        Take::Mine => unsafe { job.run_here() },
        found => join_slowly(&job, found),
    };
    (ra, rb)
}

/// The second child is not where it was left: newer jobs lie above it, or a thief has it.
#[cold]
#[inline(never)]
fn join_slowly<B, R>(job: &JoinJob<B, R>, found: Take) -> R
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
{
    let worker = here();
    if worker.take_back(job.head(), found) {
        // SAFETY: it was taken back.
        return unsafe { job.run_here() };
    }
    // The deque is empty now: thieves take the oldest first, and the newest is gone.
    worker.wait_for(job.latch(worker), worker.deque.position());
    // SAFETY: the latch is set.
    match unsafe { job.result() } {
        Ok(result) => result,
        Err(panic) => panic::resume_unwind(panic),
    }
}

impl Worker {
    /// Runs what was left above the job in the deque; true if the job is then ours.
    fn take_back(&self, job: NonNull<JobHead>, mut found: Take) -> bool {
        loop {
            match found {
                Take::Mine => return true,
                Take::Stolen => return false,
                Take::Covered => {
                    // What lies above was out of sight for a moment.
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

/// The first child of a join panicked while the second was out: the second has to end before its
/// frame does. As ever, both children are run.
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
    // The first panic is the one that the caller gets.
    discard(panic::catch_unwind(joined));
}
