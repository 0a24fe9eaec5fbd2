//! A value for each worker of a pool.
#![allow(unsafe_code, reason = "each worker uses its own slot, without a lock")]

use core::cell::OnceCell;
use core::fmt;

use filch_deque::Padded;

use crate::scheduler::pool::{Pool, PoolShared, global};
use crate::scheduler::worker::Worker;
use crate::sync::Arc;

/// A value for each worker of a pool, made when the worker first asks for it: a buffer, a cache, a
/// partial result. Access takes no lock. When the parallel work is done, the values can be visited
/// or [reduced](Self::reduce) to one.
///
/// ```
/// use std::cell::Cell;
///
/// let pool = filch::Pool::new(2)?;
/// let counts = pool.worker_local(|| Cell::new(0));
/// pool.scope(|s| {
///     for _ in 0..100 {
///         s.spawn(|_| counts.with(|count| count.set(count.get() + 1)));
///     }
/// });
/// let counts = counts.into_values().map(Cell::into_inner);
/// assert_eq!(counts.sum::<u32>(), 100);
/// # Ok::<(), filch::BuildError>(())
/// ```
///
/// # While a worker waits
///
/// A worker that waits in a `join` runs other work on the same thread, which may ask for the same
/// value. That is why [`with`](Self::with) lends a shared reference, and never a `&mut`: use a
/// [`Cell`](core::cell::Cell), or a [`RefCell`](core::cell::RefCell) that is borrowed for no longer
/// than from one join to the next. A reference cannot get to another worker either, unless the
/// value is [`Sync`]:
///
/// ```compile_fail,E0277
/// # use std::cell::Cell;
/// # let pool = filch::Pool::new(2).unwrap();
/// # let counts = pool.worker_local(|| Cell::new(0));
/// pool.install(|| counts.with(|count| filch::join(|| count.set(1), || count.set(2))));
/// ```
///
/// # Which worker has which value
///
/// [Spare threads](crate::PoolBuilder::spare_threads) have values of their own, and a thread that
/// [borrows a seat](crate#from-outside) has that of the seat. How the work is spread over the values
/// differs from run to run. So a reduction of them depends on the run, unless it is associative and
/// commutative; [`map_reduce`](crate::map_reduce) does not.
pub struct WorkerLocal<T, F = fn() -> T> {
    /// By the index of the worker.
    slots: Box<[Padded<OnceCell<T>>]>,
    init: F,
    pool: Arc<PoolShared>,
}

// SAFETY: a shared reference reaches a slot only through `slot`, on the thread that is the worker
// with that index. No two threads are it at the same time. When one becomes it after another, the
// end of the first happens before: the seat passes through the lock of the sleepers, or its thread
// is the only one ever. So a slot is used by one thread at a time, for which `T: Send` is enough.
// `init` is shared.
unsafe impl<T: Send, F: Sync> Sync for WorkerLocal<T, F> {}

impl<T, F: Fn() -> T> WorkerLocal<T, F> {
    /// Values for the workers of the current pool: that of the calling worker, or else the global
    /// one.
    pub fn new(init: F) -> Self {
        match Worker::current() {
            Some(worker) => Self::of(worker.shared(), init),
            None => Self::of(global().shared(), init),
        }
    }

    fn of(pool: &Arc<PoolShared>, init: F) -> Self {
        Self {
            slots: (0..pool.seats.capacity())
                .map(|_| Padded::default())
                .collect(),
            init,
            pool: Arc::clone(pool),
        }
    }

    /// Calls `work` with the value of the current worker, which is made first if need be.
    ///
    /// If the initialiser itself waits for other work, that work may ask for the value: then the
    /// one that is ready first counts, and the other is dropped.
    ///
    /// # Panics
    ///
    /// If the current thread is no worker of the pool, and with the payload of a closure that
    /// panics.
    pub fn with<R>(&self, work: impl FnOnce(&T) -> R) -> R {
        work(self.get().expect(
            "a WorkerLocal was asked for outside its pool: use it within `install`, `join` or `scope`",
        ))
    }

    /// As [`with`](Self::with), but `None` if the current thread is no worker of the pool.
    pub fn try_with<R>(&self, work: impl FnOnce(&T) -> R) -> Option<R> {
        self.get().map(work)
    }

    fn get(&self) -> Option<&T> {
        let slot = self.slot()?;
        if slot.get().is_none() {
            // Not `get_or_init`, which panics if the value is asked for meanwhile.
            drop(slot.set((self.init)()));
        }
        slot.get()
    }

    /// The slot of the current thread. It is lent within `with` only, so it does not leave the
    /// thread, and the frame of `with` ends before the thread ceases to be this worker.
    #[inline]
    fn slot(&self) -> Option<&OnceCell<T>> {
        let worker = Worker::current().filter(|worker| worker.is_of(&self.pool))?;
        Some(&self.slots[worker.index()].0)
    }
}

impl<T, F> WorkerLocal<T, F> {
    /// The values of the workers that have asked for one, in the order of the workers.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().filter_map(|slot| slot.0.get_mut())
    }

    /// The same, by value.
    pub fn into_values(self) -> impl Iterator<Item = T> {
        let slots = self.slots.into_iter();
        slots.filter_map(|slot| slot.0.into_inner())
    }

    /// The values, combined in the order of the workers. `None` if no worker has asked for one.
    ///
    /// ```
    /// use std::cell::RefCell;
    ///
    /// let pool = filch::Pool::new(3)?;
    /// let found = pool.worker_local(|| RefCell::new(Vec::new()));
    /// pool.scope(|s| {
    ///     for n in 0..10 {
    ///         let found = &found;
    ///         s.spawn(move |_| found.with(|found| found.borrow_mut().push(n)));
    ///     }
    /// });
    /// let all = found.reduce(|one, other| {
    ///     one.borrow_mut().append(&mut other.borrow_mut());
    ///     one
    /// });
    /// let mut all = all.unwrap().into_inner();
    /// all.sort_unstable();
    /// assert!(all.into_iter().eq(0..10));
    /// # Ok::<(), filch::BuildError>(())
    /// ```
    pub fn reduce(self, combine: impl FnMut(T, T) -> T) -> Option<T> {
        self.into_values().reduce(combine)
    }
}

impl Pool {
    /// A [`WorkerLocal`] for the workers of this pool.
    pub fn worker_local<T, F: Fn() -> T>(&self, init: F) -> WorkerLocal<T, F> {
        WorkerLocal::of(self.shared(), init)
    }
}

impl<T, F> fmt::Debug for WorkerLocal<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerLocal")
            .field("workers", &self.slots.len())
            .finish_non_exhaustive()
    }
}
