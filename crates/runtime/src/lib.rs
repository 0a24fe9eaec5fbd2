//! A work-stealing runtime: fork-join within the serial stack, and independent jobs for idle
//! workers.
//!
//! There are two kinds of parallel work, and they need different schedulers.
//!
//! **Strict work** is one computation that forks and waits for its children: sorting, searching a
//! tree, multiplying matrices. Write it as the serial program, with [`join`] or [`scope`] where two
//! parts may run in parallel:
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
//! another thread until a thief requests it. Yet a thief can steal it at once, even if its own
//! thread is deep in a computation.
//!
//! **Independent jobs** arrive over time, and each is waited for by itself or not at all: requests,
//! files, simulations. [`spawn`] one, or a batch with [`spawn_batch`]:
//!
//! ```
//! let handles = filch::spawn_batch((1..=3).map(|n| move || n * n));
//! let squares: Vec<i32> = handles.into_iter().map(|job| job.join().unwrap()).collect();
//! assert_eq!(squares, [1, 4, 9]);
//! ```
//!
//! # What is promised
//!
//! * **The serial stack.** A worker that waits for a stolen child runs only work below that child.
//!   So no worker's stack grows past what the program needs on one worker, S1 (Theorem 5 of Blumofe
//!   and Leiserson). For the same reason a lock may be held across a `join`: a waiting worker never
//!   runs an unrelated task that takes the lock. There are two exceptions, calls from another pool
//!   and [broadcasts](Pool::broadcast); the page of [`Pool`] describes them.
//! * **No work is out of reach.** Idle workers take public work with one compare-and-swap, request
//!   hidden work from its owner, and steal it by force if the owner is too busy to reply.
//! * **Idle workers sleep.** After a short search (see [`IdlePolicy`]) a worker without work uses
//!   no processor time, and no wake-up is lost.
//! * **Panics reach the caller.** The first panic of a `join` or `scope` reaches its caller after
//!   all children have ended. Both closures of a `join` are always run. A job that panics affects
//!   no other job: its handle has the payload.
//! * **A policy dispatches jobs.** A job from outside goes to an idle worker, and if there is none,
//!   to the one that was idle last (Persistent-Idle). A batch is split over the idle workers. A
//!   worker without work requests half of another worker's jobs, or as many as it can run soon. All
//!   of this can be chosen when a pool is [built](Pool::builder), by the names of `filch policies`.
//!   A pool with more workers than processors wakes no more workers at a time than there are
//!   processors: meanwhile a job goes where the last one went, and the workers that come take it
//!   from there.
//! * **First come, first served.** A worker's jobs begin in the order in which they came. A job
//!   waits at most for what its worker is running: the worker turns to its jobs before it helps
//!   others with strict work, and any worker that falls idle meanwhile requests some of them.
//!
//! # From outside
//!
//! If a thread that is no worker calls [`join`] or [`scope`] while a worker sleeps, it borrows that
//! worker's seat and runs the work itself, instead of waking a worker and waiting for it. That
//! saves tens of microseconds on a short computation. If no worker sleeps, it hands the work over
//! and waits. A loan adds no running thread: the worker sleeps.
//!
//! Meanwhile that thread is the worker and runs what the worker would: calls of [`Pool::install`],
//! jobs that it waits for, the worker's share of a [broadcast](Pool::broadcast). They run on its
//! stack, with its priority and its thread-local values. Where that matters, call
//! [`Pool::install`], which always runs on a thread of the pool if it is called from outside. A
//! pool whose threads were given a stack size or handlers lends no seats.
//!
//! # The global pool
//!
//! The functions of the crate use the pool of the worker that calls them, or else the global pool.
//! The global pool starts on first use, with one worker for each processor that the process may
//! use, or as many as the environment variable `FILCH_NUM_THREADS` says. [`Pool`] is for programs
//! that want their own.
//!
//! # The same result every time
//!
//! [`map_reduce`] and [`reduce`] combine the items of a slice in an order that depends on their
//! number alone: floating-point sums are the same bits on any number of workers.
//! [`PoolBuilder::deterministic`] does that for rayon's iterators on filch; `docs/determinism.md`
//! has the details. With the feature `random`, a `Pedigree` gives each task a stream of random
//! numbers by its place in the fork tree.
//!
//! # Leaving work out
//!
//! A [`CancelToken`] is asked by joins, scopes and loops before they begin a part of their work;
//! what has begun ends. [`find_any`] and [`find_first`] end early by themselves. [`Pool::spawn_in`]
//! lets jobs of a higher [`Class`] begin first, and starves none.
//!
//! # Values of workers
//!
//! A [`WorkerLocal`] holds a buffer, a cache or a partial result for each worker.
//!
//! # Asynchronous code
//!
//! With the feature `async`, `pool.run(|| …).await` runs heavy work for a task of any executor, and
//! a [`JoinHandle`] is a future. An `Intake` bounds the jobs that wait, and a `CoreBudget` shares
//! the processors of a container out among a pool and an executor. `docs/async.md` is the page for
//! users.
//!
//! # Metrics
//!
//! [`Pool::metrics`] returns what the workers have done: forks, steals, jobs moved, sleeps. The
//! counters are always on; a fork pays one addition for them.
//!
//! # Profiles
//!
//! With the feature `profile`, `Pool::profile` records what a program forks, and a program that
//! runs with the environment variable `FILCH_PROFILE` writes what all its pools do to the file of
//! that name, until it exits: work, span and forks of every call from outside, the places in the
//! source that fork, and the dag. Without the feature a fork is as it was, to the instruction.
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
//! other workers take the jobs behind it; but if all workers block, nothing moves until one
//! returns. [`blocking`] hands over for the time of a call that may block.
//!
//! After `fork()` the child process has no workers, and every use of a pool that was made before
//! panics with a message that says so.
//!
//! # How it works
//!
//! The page of the [deque](filch_deque) describes how work is passed on, `src/sleep/README.md` how
//! workers sleep and wake, and `src/scheduler/worker/wait.rs` what a waiting worker may run.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg_attr(
    loom,
    allow(
        dead_code,
        reason = "loom models arrivals, latches, roots and sleeping alone"
    )
)]
mod arrivals;
#[cfg_attr(
    loom,
    allow(
        dead_code,
        reason = "loom models arrivals, latches, roots and sleeping alone"
    )
)]
mod latch;
#[cfg_attr(
    loom,
    allow(
        dead_code,
        reason = "loom models arrivals, latches, roots and sleeping alone"
    )
)]
mod root;
#[cfg_attr(
    loom,
    allow(
        dead_code,
        reason = "loom models arrivals, latches, roots and sleeping alone"
    )
)]
mod sleep;
mod sync;

#[cfg(all(test, loom))]
mod latch_model;

#[cfg(not(loom))]
mod scheduler;
#[cfg(not(loom))]
pub use scheduler::*;
