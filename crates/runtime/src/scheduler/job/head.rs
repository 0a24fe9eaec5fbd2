use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use crate::arrivals::Linked;
use crate::scheduler::worker::{Origin, Worker};
use crate::sync::atomic::{AtomicPtr, Ordering};

/// The first field of every job, and all that a deque or a queue knows of it.
#[repr(C)]
pub(crate) struct JobHead {
    /// A [`RunFn`]; null once a [`JoinJob`](super::JoinJob) was started by a thief, and in a
    /// [`Carrier`](super::Carrier), which is never run.
    run: AtomicPtr<()>,
    /// The job that arrived before this one, or after it, while this one is in a queue. Not written
    /// otherwise.
    link: Link,
}

/// The address of another job, if one was written.
#[repr(transparent)]
struct Link(UnsafeCell<MaybeUninit<*mut JobHead>>);

// SAFETY: an address may be sent.
unsafe impl Send for Link {}
// SAFETY: the link is reached through `Linked` alone, whose callers promise that no other thread
// uses it.
unsafe impl Sync for Link {}

impl Link {
    #[inline(always)]
    fn unwritten() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

/// Runs a job. The origin matters only for a stolen child of a join.
///
/// # Safety
///
/// The pointer is that of the job that holds this function, and the job is run at most once.
pub(super) type RunFn = unsafe fn(NonNull<JobHead>, &Worker, Origin);

impl JobHead {
    #[inline(always)]
    pub(super) fn new(run: RunFn) -> Self {
        Self {
            run: AtomicPtr::new(run as *mut ()),
            link: Link::unwritten(),
        }
    }

    /// Of what is not run itself.
    pub(super) fn of_carrier() -> Self {
        Self {
            run: AtomicPtr::new(ptr::null_mut()),
            link: Link::unwritten(),
        }
    }

    /// Whether this is the head of a carrier. The job is in a queue, so it is no join's.
    pub(super) fn is_of_carrier(&self) -> bool {
        // Ordering: the caller got the job from a list that published it.
        self.run.load(Ordering::Relaxed).is_null()
    }

    pub(super) fn run(&self) -> RunFn {
        // Ordering: the caller got the job from a deque or a queue, which published it.
        let run = self.run.load(Ordering::Relaxed);
        // SAFETY: `new` made the pointer from a `RunFn`, and `begin` was not called yet.
        unsafe { core::mem::transmute::<*mut (), RunFn>(run) }
    }

    /// Tells the forking worker that the thief has written the job's latch.
    pub(super) fn begin(&self) {
        // Ordering: Release pairs with the load in `has_begun`.
        self.run.store(ptr::null_mut(), Ordering::Release);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.run.load(Ordering::Acquire).is_null()
    }
}

impl Linked for JobHead {
    unsafe fn set_next(this: NonNull<Self>, next: *mut Self) {
        // SAFETY: the job lives, as the caller promises.
        let link = unsafe { &this.as_ref().link };
        // SAFETY: no other thread uses the link, as the caller promises.
        unsafe { link.0.get().cast::<*mut Self>().write(next) };
    }

    unsafe fn next(this: NonNull<Self>) -> *mut Self {
        // SAFETY: the job lives, as the caller promises.
        let link = unsafe { &this.as_ref().link };
        // SAFETY: it was written, and no other thread writes it, as the caller promises.
        unsafe { link.0.get().cast::<*mut Self>().read() }
    }
}
