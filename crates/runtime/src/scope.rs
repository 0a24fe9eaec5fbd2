//! Children that borrow from the frame that waits for them.

use core::marker::PhantomData;
use core::ptr::NonNull;
use std::panic::{self, AssertUnwindSafe};

use crate::job::{HeapJob, Job, Panic, discard};
use crate::latch::Latch;
use crate::pending::Pending;
use crate::pool::Shared;
use crate::queue::Kind;
use crate::sync::{Arc, Mutex, lock};
use crate::worker::{Home, Worker};

/// A place to spawn children into: [`scope`](crate::scope) gives one to its closure, and returns when
/// all children have ended.
pub struct Scope<'scope> {
    /// Set when nothing is pending.
    latch: Latch,
    /// The children that have not ended.
    pending: Pending,
    /// The first panic of a child.
    panic: Mutex<Option<Panic>>,
    shared: Arc<Shared>,
    /// The worker that opened the scope, and what it was below then.
    home: Home,
    /// Invariant in 'scope: children may borrow for that long, neither more nor less.
    lifetime: PhantomData<fn(&'scope ()) -> &'scope ()>,
}

impl<'scope> Scope<'scope> {
    /// Starts a child that may run on any worker, and may itself spawn into the scope.
    ///
    /// ```
    /// let mut left = 0;
    /// let mut right = 0;
    /// filch::scope(|s| {
    ///     s.spawn(|_| left = 1);
    ///     s.spawn(|_| right = 2);
    /// });
    /// assert_eq!((left, right), (1, 2));
    /// ```
    pub fn spawn<F>(&self, child: F)
    where
        F: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let worker = Worker::current().filter(|worker| worker.is_of(&self.shared));
        self.pending
            .spawned(worker.is_some_and(|worker| self.is_home(worker)));
        let job = self.child(child, worker);
        match worker {
            Some(worker) if self.is_near(worker) => worker.fork_job(job),
            _ => {
                let kind = Kind::Scope(core::ptr::from_ref(&self.latch).addr());
                self.shared.dispatch(job, kind);
                // The one who waits for the scope may run it too. The child may have ended by now,
                // but the caller is counted as pending, so the scope lives.
                self.latch.wake();
            }
        }
    }

    #[allow(unsafe_code, reason = "a child outlives the call that spawns it")]
    fn child<F>(&self, child: F, worker: Option<&Worker>) -> Job
    where
        F: FnOnce(&Scope<'scope>) + Send + 'scope,
    {
        let scope = ScopePointer(NonNull::from(self).cast());
        let body = move |worker: &Worker| {
            // SAFETY: the scope lives until nothing is pending, and this child is.
            let scope: &Scope<'scope> = unsafe { scope.get() };
            let run = || panic::catch_unwind(AssertUnwindSafe(|| child(scope)));
            let result = if worker.home() == scope.home {
                run()
            } else {
                worker.below(NonNull::from(&scope.latch), run)
            };
            if let Err(panic) = result {
                scope.panicked(panic);
            }
            // SAFETY: the child is counted until this call, and the scope is not used after it.
            unsafe { Self::ended(NonNull::from(scope), scope.is_home(worker)) };
        };
        // SAFETY: the child borrows for 'scope, and the scope ends only after the child has.
        unsafe { HeapJob::placed(body, worker) }
    }

    fn panicked(&self, panic: Panic) {
        // The first is kept; the payload of a later one is dropped outside the lock.
        let mut first = lock(&self.panic);
        let later = if first.is_none() {
            *first = Some(panic);
            None
        } else {
            Some(panic)
        };
        drop(first);
        discard(later);
    }

    /// Whether what `worker` forks now is below this scope: it opened the scope, or runs a child of
    /// it. If it runs something deeper, such as the stolen half of a join, a child forked there would
    /// be within reach of those who wait for that, though it is not below it.
    fn is_near(&self, worker: &Worker) -> bool {
        worker.home() == self.home || worker.is_below(&self.latch)
    }

    /// Whether the scope was opened by `worker`, of the same pool.
    fn is_home(&self, worker: &Worker) -> bool {
        self.home.is_of(worker)
    }

    /// A child has ended, at home or not.
    ///
    /// # Safety
    ///
    /// The caller was counted, and does not use the scope after this: it may be gone.
    #[allow(
        unsafe_code,
        reason = "the scope may be gone when another child sets its latch"
    )]
    unsafe fn ended(this: NonNull<Self>, at_home: bool) {
        // SAFETY: the caller is counted, so the scope lives. Pointers, because it may be gone before
        // this call returns.
        let pending = unsafe { &raw const (*this.as_ptr()).pending };
        // SAFETY: as above.
        let latch = unsafe { NonNull::from(&(*this.as_ptr()).latch) };
        // SAFETY: as above.
        if unsafe { (*pending).ended(at_home) } {
            // SAFETY: nothing is pending but this call. The waiting worker lets the scope go only when
            // it sees the latch set, and its parker lives as long as the pool.
            unsafe { Latch::set(latch) };
        }
    }

    /// Runs `body` and then all children, on `worker`.
    pub(crate) fn run<F, R>(worker: &Worker, body: F) -> R
    where
        F: FnOnce(&Scope<'scope>) -> R,
    {
        let scope = Scope {
            latch: Latch::new(),
            pending: Pending::new(),
            panic: Mutex::new(None),
            shared: Arc::clone(worker.shared()),
            home: worker.home(),
            lifetime: PhantomData,
        };
        let base = worker.place();
        let result = panic::catch_unwind(AssertUnwindSafe(|| body(&scope)));
        worker.run_from(base);
        if !scope.pending.settle() {
            worker.finish_scope(&scope.latch, base);
        }
        let child = lock(&scope.panic).take();
        match (result, child) {
            (Ok(result), None) => result,
            (Ok(_), Some(panic)) => panic::resume_unwind(panic),
            // The closure's own panic is the one that its caller would get without the children.
            (Err(panic), unwanted) => {
                discard(unwanted);
                panic::resume_unwind(panic)
            }
        }
    }
}

/// A scope's address, for a child on another thread. The lifetime is put back by who uses it.
struct ScopePointer(NonNull<Scope<'static>>);

#[allow(unsafe_code, reason = "the pointer is shared with other threads")]
// SAFETY: a `Scope` may be used by many threads at once: all its fields may.
unsafe impl Send for ScopePointer {}

impl ScopePointer {
    /// # Safety
    ///
    /// The scope was a `Scope<'scope>`, and lives.
    #[allow(unsafe_code, reason = "see above")]
    unsafe fn get<'a, 'scope>(&self) -> &'a Scope<'scope> {
        // SAFETY: promised by the caller; lifetimes do not change the layout.
        unsafe { self.0.cast::<Scope<'scope>>().as_ref() }
    }
}
