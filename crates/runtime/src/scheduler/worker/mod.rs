//! A worker: what the thread that holds a seat works with.
#![allow(
    unsafe_code,
    reason = "a thread's worker and the latches above it are reached by pointers"
)]

mod below;
mod current;
mod fork;
mod frame;
mod hand_over;
mod idle;
mod join;
mod lent;
mod lineage;
mod number;
mod outside;
mod own;
mod pace;
mod rest;
mod root;
mod seat;
mod steal;
mod wait;
mod waited;
mod yielding;

pub(crate) use current::current_deque;
pub(crate) use join::{Closures, join};
#[cfg(feature = "profile")]
pub(crate) use join::{join_at, join_recorded};
pub(crate) use lent::LentSeat;
pub(crate) use lineage::Origin;
pub(crate) use outside::WaitsOutside;
pub(crate) use root::StackSegment;
pub(crate) use seat::Seat;

use core::cell::{Cell, RefCell};
use core::ptr::NonNull;

use filch_deque::Owner;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use self::pace::Pace;
use self::rest::Rest;
use crate::scheduler::blocks::Blocks;
use crate::scheduler::call::Call;
use crate::scheduler::job::{JobHead, Panic};
use crate::scheduler::needs::{Activity, TaskId};
use crate::scheduler::pool::PoolShared;
use crate::sleep::Parker;
use crate::sync::Arc;

/// A worker of a pool, used by its own thread or by the thread that has borrowed its seat.
pub(crate) struct Worker {
    deque: Owner<JobHead>,
    /// This worker's entry of `shared.seats`, which lives as long as `shared`.
    seat: NonNull<Seat>,
    index: usize,
    shared: Arc<PoolShared>,
    rng: RefCell<Xoshiro256PlusPlus>,
    blocks: Blocks,
    pace: Pace,
    rest: Rest,
    /// Whether a thread from outside has borrowed the seat.
    is_lent: Cell<bool>,
    /// The number of the job that runs. A worker mostly has its own, its index.
    number: Cell<Option<usize>>,
    /// Whether the thread is in [`blocking`](crate::blocking) code.
    is_blocked: Cell<bool>,
    /// How many jobs from a deque or a queue it has begun to run, and how many of them were
    /// stand-ins whose job was run already.
    runs: Cell<usize>,
    runs_in_vain: Cell<usize>,
}

impl Worker {
    pub(crate) fn new(deque: Owner<JobHead>, index: usize, shared: Arc<PoolShared>) -> Self {
        let own_number = (index < shared.workers()).then_some(index);
        Self {
            deque,
            seat: NonNull::from(&shared.seats[index]),
            index,
            rng: RefCell::new(Xoshiro256PlusPlus::seed_from_u64(
                shared.seed.wrapping_add(index as u64),
            )),
            shared,
            blocks: Blocks::new(),
            pace: Pace::new(),
            rest: Rest::new(),
            is_lent: Cell::new(false),
            number: Cell::new(own_number),
            is_blocked: Cell::new(false),
            runs: Cell::new(0),
            runs_in_vain: Cell::new(0),
        }
    }

    #[inline]
    fn seat(&self) -> &Seat {
        // SAFETY: `self` holds `shared`, and the seat lives as long as that.
        unsafe { self.seat.as_ref() }
    }

    /// The parker of the thread that holds the seat at present.
    fn parker(&self) -> &Parker {
        if self.is_lent.get() {
            &self.seat().borrower_parker
        } else {
            &self.seat().parker
        }
    }

    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Whether it is a spare thread rather than one of the pool's workers.
    pub(crate) fn is_spare(&self) -> bool {
        self.index >= self.shared.workers()
    }

    /// The worker whose queue gets the jobs that this one spawns.
    pub(crate) fn queue_index(&self) -> usize {
        self.index % self.shared.workers()
    }

    pub(crate) fn shared(&self) -> &Arc<PoolShared> {
        &self.shared
    }

    pub(crate) fn is_of(&self, shared: &Arc<PoolShared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    /// The call from another pool on whose behalf this worker runs.
    pub(crate) fn call(&self) -> Option<Arc<Call>> {
        self.seat().calls.current()
    }

    /// The activity for which this worker runs.
    pub(crate) fn activity(&self) -> Activity {
        Activity {
            call: self.call(),
            task: self.task(),
            pool: Some(Arc::clone(&self.shared)),
        }
    }

    /// A call from this worker to another pool.
    pub(crate) fn new_call(&self) -> Arc<Call> {
        Call::new(self.activity())
    }

    /// The task that this worker runs.
    pub(crate) fn task(&self) -> TaskId {
        self.seat().calls.task()
    }

    /// Runs `work` as a part of `call`, if there is one, and of `task`, on top of what this worker
    /// runs already.
    #[inline]
    pub(crate) fn within(&self, call: Option<Arc<Call>>, task: TaskId, work: impl FnOnce()) {
        let calls = &self.seat().calls;
        match call {
            Some(call) => {
                let call = call.on_top_of(self.call());
                calls.enter(self.deque.position(), call, task);
                work();
                calls.leave();
            }
            None => {
                let before = calls.task();
                let is_other = task != TaskId::SAME && task != before;
                if is_other {
                    calls.set_task(task);
                }
                work();
                if is_other {
                    calls.set_task(before);
                }
            }
        }
    }

    /// Calls a handler of the user with the index of this worker. A panic of the handler is
    /// reported and does not end the worker.
    pub(crate) fn call_handler(&self, handler: Option<&(dyn Fn(usize) + Send + Sync)>) {
        if let Some(handler) = handler {
            let told =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| handler(self.index)));
            if let Err(panic) = told {
                self.report(panic);
            }
        }
    }

    /// Passes on a panic for which no caller waits to the pool's handler.
    pub(crate) fn report(&self, panic: Panic) {
        self.shared.report(panic);
    }
}
