//! A work-stealing runtime: fork-join within the serial stack, and independent jobs for idle workers.
//!
//! There are two kinds of parallel work, and they want different things.
//!
//! **Strict work** is one computation that forks and waits for its children: sorting, searching a
//! tree, multiplying matrices. Write it as the serial program, with [`join`] or [`scope`] where two
//! parts could run at once:
//!
//! ```
//! fn sum(numbers: &[u64]) -> u64 {
//!     match numbers {
//!         [] => 0,
//!         [one] => *one,
//!         _ => {
//!             let (left, right) = numbers.split_at(numbers.len() / 2);
//!             let (left, right) = filch::join(|| sum(left), || sum(right));
//!             left + right
//!         }
//!     }
//! }
//! assert_eq!(sum(&[1, 2, 3, 4, 5]), 15);
//! ```
//!
//! There is no cut-off to tune here. A fork costs a few nanoseconds, because nothing is shared with
//! another thread until one asks for it; and it is within reach of another thread at once, even if
//! its own thread is deep in a computation.
//!
//! **Independent jobs** arrive over time and nobody waits for them together: requests, files,
//! simulations. [`spawn`] one, or a batch with [`spawn_batch`]:
//!
//! ```
//! let handles = filch::spawn_batch((1..=3).map(|n| move || n * n));
//! let squares: Vec<i32> = handles.into_iter().map(|job| job.join().unwrap()).collect();
//! assert_eq!(squares, [1, 4, 9]);
//! ```
//!
//! # What is promised
//!
//! * **The serial stack.** A worker that waits for a stolen child runs only what is below that child,
//!   so no worker's stack grows past what the program needs on one worker, S1 (Theorem 5 of Blumofe
//!   and Leiserson for real). For the same reason a lock may be held across a `join`: a waiting worker
//!   never picks up an unrelated task that wants the lock. The two exceptions, a call that comes from
//!   another pool and a [broadcast](Pool::broadcast), are told on the page of [`Pool`].
//! * **No work is out of reach.** Idle workers take public work with one compare-and-swap, ask for the
//!   rest, and take it by force if its owner is too busy to answer.
//! * **Idle workers sleep.** After a short search (see [`IdlePolicy`]) a worker without work costs no
//!   processor time, and no wake-up is lost.
//! * **Panics arrive.** The first panic of a `join` or `scope` reaches the caller, after all children
//!   have ended. Both children of a `join` are always run. A job that panics harms nobody else:
//!   its handle has the payload.
//! * **Jobs are sent by policy.** A job from outside goes to an idle worker, and if there is none to the
//!   one that was idle last (Persistent-Idle); a batch is split over the idle ones; a worker without
//!   work asks another and gets half of its jobs. All of this can be chosen when a pool is
//!   [built](Pool::builder), by the names of `filch policies`.
//! * **First come, first served.** A worker's jobs begin in the order in which they came. A job waits
//!   at most for what its worker is running, or a thread in its place: the worker turns to its jobs before it helps others
//!   with strict work, and any worker that falls idle meanwhile comes and asks for them.
//!
//! # From outside
//!
//! A thread that is no worker and calls [`join`] or [`scope`] takes the place of a worker that sleeps, if
//! one does, and works itself instead of waiting for others to be woken: a short computation takes
//! tens of microseconds less. Otherwise it hands the work over and waits. Lending a place never makes
//! more threads compute than there are workers.
//!
//! Inside, that thread is the worker, and runs what the worker would: calls of [`Pool::install`], jobs
//! that it waits for, the worker's share of a [broadcast](Pool::broadcast). Its own stack, priority and
//! thread-local values are used. Where that matters, call [`Pool::install`], which always runs on a
//! thread of the pool if it is called from outside; and in a pool whose threads were given a stack size or handlers,
//! no place is lent.
//!
//! # The global pool
//!
//! The functions of the crate use the pool of the worker that calls them, or the global pool. It
//! starts on first use with one worker for each processor that the process may use; the environment
//! variable `FILCH_NUM_THREADS` says otherwise. [`Pool`] is for programs that want their own.
//!
//! # Watching
//!
//! [`Pool::metrics`] tells what the workers have done: forks, steals, jobs moved, sleeps. The counters
//! are always on; a fork pays one addition for them.
//!
//! # Waiting and blocking
//!
//! A worker that waits for a stolen child runs only what is below that child. What else there is to
//! do is for other threads: when a waiter falls asleep, it hands its processor over to an idle
//! thread of the pool, or to a *spare* thread that is started for it. So as many threads run as the
//! pool has workers, if there is work for them: the time bound of Blumofe and Leiserson together
//! with their space bound. `docs/waiting.md` has the argument.
//! [`PoolBuilder::spare_threads`] bounds the number of spare threads, or forbids them.
//!
//! A job that blocks its thread (on a lock, a channel, input) blocks a worker. That is allowed, and
//! other workers take the jobs behind it; but if all workers block, nothing moves until one returns.
//! [`blocking`] hands over for the time of a call that may block.
//!
//! After `fork()` the child process has no workers, and every use of a pool that was made before
//! panics with a message that says so.
//!
//! # How it works
//!
//! The page of the [deque](filch_deque) tells how work is passed on, `src/sleep/README.md` how workers
//! sleep and wake, `src/worker/wait.rs` what a waiting worker may run.

#[cfg_attr(
    loom,
    allow(dead_code, reason = "loom models latches and sleeping alone")
)]
mod latch;
#[cfg_attr(
    loom,
    allow(dead_code, reason = "loom models latches and sleeping alone")
)]
mod sleep;
mod sync;

#[cfg(all(test, loom))]
mod latch_model;

#[cfg(not(loom))]
mod scheduler;
#[cfg(not(loom))]
pub use scheduler::*;

/// The examples of the README are compiled and run with the others.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
