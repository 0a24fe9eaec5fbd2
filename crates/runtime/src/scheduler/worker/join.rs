//! Joins: the first closure runs here, the second here or on a thief.

use core::hint::black_box;
use core::mem::ManuallyDrop;
use core::ptr;
use std::panic::{self, AssertUnwindSafe};

use filch_deque::{Bottom, Fork, Take};

use super::Worker;
use super::current::here;
use super::frame::JoinFrame;
use crate::scheduler::job::{JobHead, JoinJob, Migrated, Panic, discard};
use crate::scheduler::record::{self, JoinRecord};

/// What a join runs: two closures as the user gave them, how each is called, and what is done with
/// both on a thread that is no worker.
///
/// `call_a` and `call_b` capture nothing, so they take no memory.
pub(crate) struct Closures<A, B, F, G, O> {
    pub(crate) a: A,
    pub(crate) b: B,
    pub(crate) call_a: F,
    pub(crate) call_b: G,
    pub(crate) outside: O,
}

/// Runs `a` here, and `b` here or on a thief; `b` is told which. Without a deque, which is that of
/// the current thread's worker, both are left to `outside`.
// Always inlined: otherwise both closures are passed in memory.
#[inline(always)]
pub(crate) fn join<A, B, F, G, O, RA, RB>(
    deque: Option<&Bottom<JobHead>>,
    closures: Closures<A, B, F, G, O>,
) -> (RA, RB)
where
    A: Send,
    B: Send,
    F: FnOnce(A) -> RA + Send,
    G: FnOnce(B, Migrated) -> RB + Send,
    O: FnOnce(A, B) -> (RA, RB),
    RA: Send,
    RB: Send,
{
    join_at::<(A, B), _, _, _, _, _, _, _>(deque, closures)
}

/// A join at the site that `S` tells from others.
#[inline(always)]
pub(crate) fn join_at<S, A, B, F, G, O, RA, RB>(
    deque: Option<&Bottom<JobHead>>,
    closures: Closures<A, B, F, G, O>,
) -> (RA, RB)
where
    A: Send,
    B: Send,
    F: FnOnce(A) -> RA + Send,
    G: FnOnce(B, Migrated) -> RB + Send,
    O: FnOnce(A, B) -> (RA, RB),
    RA: Send,
    RB: Send,
{
    if !cfg!(feature = "profile") {
        return join_recorded(deque, closures, record::Join::begin::<S>());
    }
    // Nothing is recorded outside a pool.
    if deque.is_none() {
        return (closures.outside)(closures.a, closures.b);
    }
    match record::counted::<S>() {
        Some(counted) => join_recorded(deque, closures, counted),
        None => {
            let results = join_timed::<S, _, _, _, _, _, _, _>(deque, closures);
            // No tail call: the frame of the caller stays on the stack, and names the site.
            black_box(());
            results
        }
    }
}

/// A join whose strands are timed.
// Never inlined: its record would lie in the frame of the function around the join, and take
// registers there, which calls that do not fork save and restore too.
#[inline(never)]
fn join_timed<S, A, B, F, G, O, RA, RB>(
    deque: Option<&Bottom<JobHead>>,
    closures: Closures<A, B, F, G, O>,
) -> (RA, RB)
where
    A: Send,
    B: Send,
    F: FnOnce(A) -> RA + Send,
    G: FnOnce(B, Migrated) -> RB + Send,
    O: FnOnce(A, B) -> (RA, RB),
    RA: Send,
    RB: Send,
{
    join_recorded(deque, closures, record::Join::begin::<S>())
}

#[inline(always)]
pub(crate) fn join_recorded<A, B, F, G, O, RA, RB, J>(
    deque: Option<&Bottom<JobHead>>,
    closures: Closures<A, B, F, G, O>,
    recorded: J,
) -> (RA, RB)
where
    A: Send,
    B: Send,
    F: FnOnce(A) -> RA + Send,
    G: FnOnce(B, Migrated) -> RB + Send,
    O: FnOnce(A, B) -> (RA, RB),
    RA: Send,
    RB: Send,
    J: JoinRecord,
{
    let Closures {
        a,
        b,
        call_a,
        call_b,
        outside,
    } = closures;
    let mut frame = JoinFrame::new();
    let (ra, rb) = match deque {
        Some(deque) => {
            let (a, b) = (|| call_a(a), |migrated| call_b(b, migrated));
            join_in(&mut frame, deque, a, b, recorded)
        }
        None => {
            let (ra, rb) = outside(a, b);
            (frame.first.keep(ra), rb)
        }
    };
    (frame.first.back(ra), rb)
}

/// The first closure has ended when this returns, and its result is kept in `frame` or returned.
#[inline(always)]
fn join_in<'d, A, B, RA, RB, J>(
    frame: &mut JoinFrame<'d, JoinJob<B, RB, J::Origin>, RA>,
    deque: &'d Bottom<JobHead>,
    a: A,
    b: B,
    mut recorded: J,
) -> (Option<RA>, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(Migrated) -> RB + Send,
    RA: Send,
    RB: Send,
    J: JoinRecord,
{
    let b = ManuallyDrop::new(b);
    // SAFETY: of the two copies one is used, this one by a thief or on a slow path. The compiler
    // need not write the other to memory, nor read it back.
    let body = unsafe { ptr::read(&*b) };
    let job = JoinJob::write(&mut frame.job, body, recorded.origin());
    frame.fork.fork(deque, job.head());
    // This costs nothing while nothing panics.
    let ra = panic::catch_unwind(AssertUnwindSafe(a));
    recorded.first_ended();
    // SAFETY: the job was forked.
    let (deque, forked) = unsafe { frame.fork.read() };
    let ra = match ra {
        Ok(ra) => frame.first.keep(ra),
        Err(panic) => join_after_panic(job, forked, recorded, panic),
    };
    let rb = match deque.take(forked) {
        // The job was taken back, and its copy of the closure is not used.
        Take::Mine => {
            let rb = ManuallyDrop::into_inner(b)(false);
            recorded.end();
            rb
        }
        found => {
            // Read again, so that no register has to survive the slow path of the take.
            // SAFETY: as above.
            let (_, forked) = unsafe { frame.fork.read() };
            join_slowly(job, forked, recorded, found)
        }
    };
    (ra, rb)
}

/// The second closure is not at the bottom of the deque: newer jobs lie above it, or it was stolen.
#[cold]
#[inline(never)]
fn join_slowly<B, R, J>(job: &JoinJob<B, R, J::Origin>, forked: Fork, recorded: J, found: Take) -> R
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
    J: JoinRecord,
{
    let worker = here();
    if worker.take_back(forked, found) {
        // SAFETY: the job was taken back.
        let result = unsafe { job.run_here() };
        recorded.end();
        return result;
    }
    // The deque is empty now: thieves take the oldest item first, and they have taken the newest.
    worker.wait_for(job.latch(worker), worker.deque.position());
    // SAFETY: the latch is set.
    let (result, summary) = unsafe { job.result() };
    recorded.end_stolen(summary);
    match result {
        Ok(result) => result,
        Err(panic) => panic::resume_unwind(panic),
    }
}

/// Completes a join whose first closure panicked. The second closure runs all the same, outside any
/// unwinding, and ends before the frame that holds it.
#[cold]
#[inline(never)]
fn join_after_panic<B, R, J>(
    job: &JoinJob<B, R, J::Origin>,
    forked: Fork,
    recorded: J,
    panic: Panic,
) -> !
where
    B: FnOnce(Migrated) -> R + Send,
    R: Send,
    J: JoinRecord,
{
    let take = || here().deque.take(forked);
    let joined = AssertUnwindSafe(|| join_slowly(job, forked, recorded, take()));
    // The caller gets the panic of the first closure.
    discard(panic::catch_unwind(joined));
    panic::resume_unwind(panic)
}

impl Worker {
    /// Runs the jobs that lie above what was forked. True if that was then taken back.
    fn take_back(&self, forked: Fork, mut found: Take) -> bool {
        loop {
            match found {
                Take::Mine => return true,
                Take::Stolen => return false,
                Take::Covered => {
                    // `take` hid the items above for a moment, and a worker that fell asleep may
                    // have missed it.
                    if self.deque.is_attention_raised() {
                        self.attend();
                    }
                    if let Some(above) = self.pop() {
                        above.run(self);
                    }
                }
            }
            found = self.deque.take(forked);
        }
    }
}
