//! How deep each thread's stack goes, and how much stack is live on all threads together.

mod adversary;
mod gauge;

use std::sync::Arc;

use serde::Serialize;

use super::args::WaitingOptions;
use super::forks::Forks;
use crate::output::progress;
use crate::runtimes::RuntimeKind;

pub(crate) use adversary::StackAdversary;
pub(crate) use gauge::StackGauge;

/// The stacks of one program on one runtime, in bytes. Of several runs, the largest figures.
#[derive(Debug, Serialize)]
pub(crate) struct StackRow {
    /// The program.
    pub(crate) program: &'static str,
    /// Workers of the pool.
    pub(crate) workers: usize,
    /// The runtime.
    pub(crate) runtime: RuntimeKind,
    /// S1: the deepest stack of the same program on one worker.
    pub(crate) serial: usize,
    /// The deepest stack of any thread.
    pub(crate) deepest: usize,
    /// The largest sum of live stacks at any moment.
    pub(crate) live: usize,
    /// The threads that ran a closure of the program.
    pub(crate) threads: usize,
}

impl StackRow {
    /// The most that a thread's stack may be: 1.1·S1 + 16 KiB.
    pub(crate) fn limit(&self) -> usize {
        self.serial + self.serial / 10 + (16 << 10)
    }

    /// The most that all live stacks may be together: S1·P.
    pub(crate) fn live_limit(&self) -> usize {
        self.serial * self.workers
    }
}

/// The rows that are asked for.
pub(crate) fn measure(options: &WaitingOptions) -> Vec<StackRow> {
    let mut rows = Vec::new();
    for &workers in &options.workers {
        for adversary in &options.adversaries {
            progress(&format!("{}, {workers} workers", adversary.name));
            rows.push(row::<filch::Pool>(options, adversary, workers));
            rows.push(row::<rayon::ThreadPool>(options, adversary, workers));
        }
    }
    rows
}

fn row<F: Forks>(options: &WaitingOptions, adversary: &StackAdversary, workers: usize) -> StackRow {
    let jobs = options.items * workers;
    let gauged = |workers, adversary: &StackAdversary| {
        let gauge = Arc::new(StackGauge::new());
        let pool = F::start_gauged(workers, Arc::clone(&gauge));
        pool.install(|| adversary.run::<F>(jobs, &gauge));
        drop(pool);
        gauge
    };
    let serial = gauged(1, &adversary.without_sleep()).deepest();
    let runs: Vec<_> = (0..options.rounds)
        .map(|_| gauged(workers, adversary))
        .collect();
    let most = |of: fn(&StackGauge) -> usize| runs.iter().map(|gauge| of(gauge)).max();
    StackRow {
        program: adversary.name,
        workers,
        runtime: F::KIND,
        serial,
        deepest: most(StackGauge::deepest).unwrap_or_default(),
        live: most(StackGauge::most_live).unwrap_or_default(),
        threads: most(StackGauge::threads).unwrap_or_default(),
    }
}
