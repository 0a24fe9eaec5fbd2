use core::cell::UnsafeCell;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};
use std::thread::Result;
use std::time::Duration;

use super::JobHead;
use crate::latch::Latch;
use crate::scheduler::pool::SPINS_BEFORE_YIELD;
use crate::scheduler::record;
use crate::scheduler::worker::{Origin, Worker};
use crate::sync::spin_loop;
use crate::sync::thread::{sleep, yield_now};

/// How often an owner looks whether the thief of its job has begun, before it sleeps: for a few
/// microseconds.
const LOOKS_BEFORE_SLEEP: u32 = 2 * SPINS_BEFORE_YIELD;
/// How long it sleeps between two looks.
const WHILE_PREEMPTED: Duration = Duration::from_micros(50);

/// The second closure of a join, on the stack of the worker that forks it, its owner.
///
/// While the job is in a deque, other threads read only `head`. A thief that has stolen the job
/// writes the latch, takes the closure, writes the result and sets the latch. If the job is not
/// stolen, the owner takes the closure back, and the latch and the result are never written.
#[repr(C)]
pub(crate) struct JoinJob<B, R, O> {
    head: JobHead,
    latch: UnsafeCell<MaybeUninit<Latch>>,
    body: UnsafeCell<ManuallyDrop<B>>,
    result: UnsafeCell<MaybeUninit<Recorded<R>>>,
    origin: O,
}

/// What a thief leaves.
type Recorded<R> = (Result<R>, record::Summary);

/// Whether a closure runs on another thread than the one that forked it.
pub(crate) type Migrated = bool;

impl<B: FnOnce(Migrated) -> R + Send, R: Send, O: Copy + Into<record::Origin>> JoinJob<B, R, O> {
    /// Writes a job to `place`, part by part: the compiler would make a whole one elsewhere and
    /// copy it, which takes longer than the rest of a join.
    #[inline(always)]
    pub(crate) fn write(place: &mut MaybeUninit<Self>, body: B, origin: O) -> &Self {
        let job = place.as_mut_ptr();
        // SAFETY: the pointer is that of `place`, so the part lies within it.
        let head = unsafe { &raw mut (*job).head };
        // SAFETY: as above.
        let to_body = unsafe { &raw mut (*job).body };
        // SAFETY: as above.
        let to_origin = unsafe { &raw mut (*job).origin };
        // SAFETY: `place` is borrowed mutably, so the part may be written.
        unsafe { head.write(JobHead::new(Self::run_stolen)) };
        // SAFETY: as above.
        unsafe { to_body.write(UnsafeCell::new(ManuallyDrop::new(body))) };
        // SAFETY: as above.
        unsafe { to_origin.write(origin) };
        // SAFETY: all parts are written but the latch and the result, which may be uninitialised.
        unsafe { place.assume_init_ref() }
    }

    /// The pointer for the deque. It has the provenance of the whole job, which `run_stolen` reads.
    #[inline(always)]
    pub(crate) fn head(&self) -> NonNull<JobHead> {
        NonNull::from(self).cast()
    }

    /// The latch that the thief sets. The job was stolen from `worker`, so the thief has written
    /// the latch or is about to.
    pub(crate) fn latch(&self, worker: &Worker) -> &Latch {
        let mut looks = 0;
        while !self.head.has_begun() {
            looks += 1;
            // This takes nanoseconds, unless the system has preempted the thief.
            if looks <= SPINS_BEFORE_YIELD {
                spin_loop();
            } else if looks <= LOOKS_BEFORE_SLEEP {
                worker.shared().assert_same_process();
                yield_now();
            } else {
                // This thread may have a higher priority than the thief: then a yield returns at
                // once, and the thief comes to run only while this thread sleeps.
                sleep(WHILE_PREEMPTED);
            }
        }
        // SAFETY: the thief wrote the latch before `begin`, and does not write the cell after that.
        unsafe { &*self.latch.get().cast::<Latch>() }
    }

    /// Runs the closure on the owner.
    ///
    /// # Safety
    ///
    /// The job was taken back from the deque, so no thief has it, and this is called once.
    pub(crate) unsafe fn run_here(&self) -> R {
        // SAFETY: no thief has the job, so the closure is ours, and it is taken once.
        let body = unsafe { self.body.get().cast::<B>().read() };
        body(false)
    }

    /// The result that the thief left.
    ///
    /// # Safety
    ///
    /// The latch is set, and this is called once.
    pub(crate) unsafe fn result(&self) -> Recorded<R> {
        // SAFETY: the thief wrote the result before it set the latch, and it is read once.
        unsafe { self.result.get().cast::<Recorded<R>>().read() }
    }

    /// # Safety
    ///
    /// As [`JobHead::run`]; the job lives until its latch is set.
    unsafe fn run_stolen(head: NonNull<JobHead>, worker: &Worker, origin: Origin) {
        let job = head.cast::<Self>();
        // SAFETY: the owner waits for the latch, so the job lives.
        let this = unsafe { job.as_ref() };
        // Never a reference that the owner's reads would end: both use the cell's own pointer.
        // SAFETY: the pointer of a cell is not null.
        let latch = unsafe { NonNull::new_unchecked(this.latch.get().cast::<Latch>()) };
        // SAFETY: the owner does not read the latch before `begin`.
        unsafe { latch.write(Latch::new()) };
        this.head.begin();
        // SAFETY: we have stolen the job, so the closure is ours, and a job is run once.
        let body = unsafe { this.body.get().cast::<B>().read() };
        let body = AssertUnwindSafe(|| body(true));
        let result = worker.run_below(latch, origin, || {
            record::run(this.origin, || panic::catch_unwind(body))
        });
        // SAFETY: the owner does not read the result before the latch is set.
        unsafe { this.result.get().cast::<Recorded<R>>().write(result) };
        // SAFETY: the latch lives until it is set. The owner is a worker of this pool, so its
        // parker lives as long as we do.
        unsafe { Latch::set(latch) };
    }
}
