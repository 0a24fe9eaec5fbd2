//! Tiny jobs from one and from four outside threads at once, until the last has run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use super::TableGroup;
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::{Experiment, MatrixRow, Unit};
use crate::runtimes::{Caller, Runtime};

/// How many threads spawn, with the words for it.
const SPAWNERS: [(u64, &str); 2] = [
    (1, "per job from 1 outside thread"),
    (4, "per job from 4 outside threads"),
];

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let jobs = options.scale.pick(40_000, 400_000);
    let rows = options.threads.iter().flat_map(|threads| {
        let (group, caller) = (TableGroup::Jobs, Caller::Spawns);
        let experiment = Experiment::new(options, group, "throughput", *threads, caller);
        experiment.rows(
            &SPAWNERS.map(|(_, what)| (what, Unit::Nanoseconds)),
            |runtime| {
                SPAWNERS
                    .map(|(spawners, _)| vec![per_job(runtime, jobs, spawners)])
                    .into()
            },
        )
    });
    rows.collect()
}

/// Nanoseconds per job when `spawners` threads share the spawning of `jobs`.
fn per_job(runtime: &Runtime, jobs: u64, spawners: u64) -> f64 {
    let countdown = Arc::new(Countdown {
        left: AtomicU64::new(jobs),
        sum: AtomicU64::new(0),
        waiter: thread::current(),
    });
    let start = Instant::now();
    thread::scope(|s| {
        for spawner in 0..spawners {
            let countdown = &countdown;
            s.spawn(move || {
                for number in (spawner..jobs).step_by(spawners as usize) {
                    let countdown = Arc::clone(countdown);
                    runtime.spawn(move || countdown.ran(number));
                }
            });
        }
    });
    countdown.wait();
    let elapsed = start.elapsed();
    assert_eq!(
        countdown.sum.load(Ordering::Relaxed),
        jobs * (jobs - 1) / 2,
        "jobs that ran"
    );
    elapsed.as_nanos() as f64 / jobs as f64
}

/// Wakes the waiter when the last job has run.
#[derive(Debug)]
struct Countdown {
    left: AtomicU64,
    sum: AtomicU64,
    waiter: thread::Thread,
}

impl Countdown {
    fn ran(&self, number: u64) {
        self.sum.fetch_add(number, Ordering::Relaxed);
        // Ordering: the release half publishes the sum to `wait`, which acquires a zero.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.waiter.unpark();
        }
    }

    fn wait(&self) {
        while self.left.load(Ordering::Acquire) > 0 {
            thread::park();
        }
    }
}
