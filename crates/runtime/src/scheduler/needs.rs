//! For which activity a worker runs, and which calls a waiting worker needs.
//!
//! An *activity* is what can be waited for as a whole: a [task](crate::JoinHandle), a
//! [call](super::call), or all that a pool has accepted. Joins and scopes inside belong to it. At
//! most one worker waits for an activity: the one that made the call, joins the handle or drops the
//! pool. So there is one way up from every activity, to the activity of the worker that waits for
//! it, and on from there. An awaited activity *needs* a call if it lies on the way up from that
//! call.
//!
//! A handle may be joined by any worker at any time, so the way up from a task is not known when
//! the task begins. Workers that wait for tasks and pools enter themselves into a table.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::call::Call;
use super::pool::PoolShared;
use crate::sync::Arc;
use crate::sync::atomic::Ordering;

/// A task, by its address. It is compared and never used as a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TaskId(usize);

impl TaskId {
    /// Of what belongs to no task.
    pub(crate) const NONE: Self = Self(0);
    /// The task that the worker runs already.
    pub(crate) const SAME: Self = Self(usize::MAX);

    /// Of the task that begins at this address.
    pub(crate) fn at<T: ?Sized>(task: *const T) -> Self {
        Self(task.cast::<()>().addr())
    }

    pub(crate) fn number(self) -> usize {
        self.0
    }

    pub(crate) fn from_number(number: usize) -> Self {
        Self(number)
    }
}

/// For what a worker runs, and of which pool it is one.
pub(crate) struct Activity {
    pub(crate) call: Option<Arc<Call>>,
    /// The task within that call, or within no call.
    pub(crate) task: TaskId,
    pub(crate) pool: Option<Arc<PoolShared>>,
}

/// What a worker waits for.
#[derive(Clone, Copy)]
pub(crate) enum Awaited<'a> {
    /// Something within its own activity.
    Nothing,
    Call(&'a Arc<Call>),
    Task(TaskId),
    /// The end of all that the pool has accepted.
    Pool(&'a Arc<PoolShared>),
}

impl<'a> Awaited<'a> {
    pub(crate) fn call(self) -> Option<&'a Arc<Call>> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }
}

impl Activity {
    /// This activity, and those up from it through calls.
    fn up(&self) -> impl Iterator<Item = &Self> {
        core::iter::successors(Some(self), |activity| {
            activity.call.as_ref().map(|call| call.maker())
        })
    }

    fn is_part_of(&self, awaited: Awaited<'_>) -> bool {
        match awaited {
            Awaited::Nothing => false,
            Awaited::Call(call) => self.call.as_ref().is_some_and(|own| Arc::ptr_eq(own, call)),
            Awaited::Task(task) => self.task == task,
            Awaited::Pool(pool) => self.pool.as_ref().is_some_and(|own| Arc::ptr_eq(own, pool)),
        }
    }

    /// Whether `awaited` lies on the way up from here.
    pub(crate) fn is_needed_by(&self, awaited: Awaited<'_>) -> bool {
        if matches!(awaited, Awaited::Nothing) {
            return false;
        }
        let mut is_needed = false;
        self.climb(|activity| {
            is_needed |= activity.is_part_of(awaited);
            is_needed
        });
        is_needed
    }

    /// Shows `visit` this activity and all up from it, until it returns true.
    fn climb(&self, mut visit: impl FnMut(&Self) -> bool) {
        let mut waiters = Vec::new();
        let mut look = |from: &Self, waiters: &mut Vec<Arc<Activity>>| {
            from.up().any(|activity| {
                table::waiters_for(activity, waiters);
                visit(activity)
            })
        };
        if look(self, &mut waiters) {
            return;
        }
        // Workers that wait for each other in a circle wait forever. This must not loop with them.
        for _ in 0..MOST_WAITERS {
            let Some(waiter) = waiters.pop() else {
                return;
            };
            if look(&waiter, &mut waiters) {
                return;
            }
        }
    }
}

const MOST_WAITERS: usize = 1000;

/// The current worker waits for a task or a pool.
pub(crate) struct Waits {
    key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Task(TaskId),
    Pool(usize),
}

impl Waits {
    /// The worker that runs `activity` waits for `awaited`, until this is dropped.
    pub(crate) fn begin(activity: Activity, awaited: Awaited<'_>) -> Option<Self> {
        let key = match awaited {
            Awaited::Nothing | Awaited::Call(_) => return None,
            Awaited::Task(task) => Key::Task(task),
            Awaited::Pool(pool) => Key::pool(pool),
        };
        let activity = Arc::new(activity);
        table::add(key, Arc::clone(&activity));
        // A worker further up may need calls that it did not need before.
        activity.climb(|above| {
            let pool = above.pool.as_ref();
            if let Some(pool) = pool.filter(|_| !core::ptr::eq(above, &*activity)) {
                pool.wake_for_calls();
            }
            false
        });
        Some(Self { key })
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        table::remove(self.key);
    }
}

impl Key {
    fn pool(pool: &Arc<PoolShared>) -> Self {
        Self::Pool(Arc::as_ptr(pool).addr())
    }
}

/// Which activity waits for which task or pool. Its lock is that of the standard library even in a
/// model: no other lock is taken while it is held.
mod table {
    use super::{Activity, Arc, BTreeMap, Key, Mutex, Ordering, PoisonError};
    use std::sync::MutexGuard;
    use std::sync::atomic::AtomicUsize;

    static TABLE: Mutex<BTreeMap<Key, Arc<Activity>>> = Mutex::new(BTreeMap::new());
    /// How many there are: mostly none, and then no lock is taken.
    static LEN: AtomicUsize = AtomicUsize::new(0);

    fn locked() -> MutexGuard<'static, BTreeMap<Key, Arc<Activity>>> {
        TABLE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(key: Key, waiter: Arc<Activity>) {
        let mut table = locked();
        table.insert(key, waiter);
        // Ordering: SeqCst. The waiter wakes those above it after this, and they look again.
        LEN.store(table.len(), Ordering::SeqCst);
    }

    pub(super) fn remove(key: Key) {
        let mut table = locked();
        let removed = table.remove(&key);
        LEN.store(table.len(), Ordering::SeqCst);
        drop(table);
        drop(removed);
    }

    /// Adds those that wait for this activity.
    pub(super) fn waiters_for(activity: &Activity, waiters: &mut Vec<Arc<Activity>>) {
        if LEN.load(Ordering::SeqCst) == 0 {
            return;
        }
        let table = locked();
        let pool = activity.pool.as_ref().map(Key::pool);
        for key in [Some(Key::Task(activity.task)), pool].into_iter().flatten() {
            waiters.extend(table.get(&key).cloned());
        }
    }
}
