//! Whole pools under random schedules, with shuttle: `RUSTFLAGS="--cfg shuttle" cargo test -p filch
//! --test shuttle --release`.
//!
//! Each model runs under some thousands of schedules drawn at random and as many with few
//! preemptions (PCT), always from the same seed; `FILCH_SHUTTLE_SCHEDULES` sets another number of
//! each. A schedule fails if a thread panics, if all threads are blocked, or if they never end.
//!
//! shuttle's memory is sequentially consistent: these models find wrong steps, and loom's models
//! find wrong orderings. Many of them use a [`Gate`] to demand more than that work is done in the
//! end. A job that blocks at a gate which only another job opens demands that *another worker* runs
//! that job.
#![cfg(shuttle)]

#[cfg(feature = "async")]
mod bridge;
mod broadcasts;
mod cancel;
mod hand_over;
mod jobs;
mod lent;
mod panics;
mod pools;
mod sleeping;
mod strict;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use filch::internals::{PoolRef, WorkerStart};
use filch::{BroadcastContext, IdlePolicy, Pool, PoolBuilder, StealFunction, join, scope};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::{Config, Runner, thread};

const SEED: u64 = 1;
const SCHEDULES: usize = 3_000;

fn check(model: impl Fn() + Send + Sync + 'static) {
    let schedules = std::env::var("FILCH_SHUTTLE_SCHEDULES").map_or(SCHEDULES, |number| {
        number.parse().expect("a number of schedules")
    });
    let model = Arc::new(model);
    run(
        RandomScheduler::new_from_seed(SEED, schedules),
        Arc::clone(&model),
    );
    run(PctScheduler::new_from_seed(SEED, 3, schedules), model);
}

fn run(scheduler: impl Scheduler + 'static, model: Arc<impl Fn() + Send + Sync + 'static>) {
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    // Silences the warning that all orderings are treated as SeqCst, as said above.
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || model());
}

/// Workers that search before they sleep, as by default, and workers that do not.
fn check_both(workers: usize, model: impl Fn(&Pool) + Send + Sync + 'static) {
    let model = Arc::new(model);
    for idle in [IdlePolicy::default(), IdlePolicy::Park] {
        let model = Arc::clone(&model);
        check(move || model(&builder(workers).idle(idle).build().unwrap()));
    }
}

fn builder(workers: usize) -> PoolBuilder {
    Pool::builder().threads(workers)
}

/// Closed until a thread opens it.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn new() -> Arc<Self> {
        Arc::default()
    }

    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.opened.wait(open).unwrap();
        }
    }
}

/// A panic that no hook prints.
fn give_up(why: &'static str) -> ! {
    resume_unwind(Box::new(why))
}

fn why(panic: Box<dyn std::any::Any + Send>) -> &'static str {
    panic
        .downcast_ref::<&'static str>()
        .expect("a panic of `give_up`")
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}
