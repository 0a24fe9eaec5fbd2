//! Runs of each program on each runtime, in turn.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::args::WaitingOptions;
use super::forks::Forks;
use super::programs::Program;
use crate::measure::Cell;
use crate::report::progress;

/// The runs of one program with so many workers; samples are in nanoseconds.
#[derive(Debug, Serialize)]
pub(crate) struct TimeRow {
    /// The program.
    pub(crate) program: &'static str,
    /// Workers of each pool.
    pub(crate) workers: usize,
    /// What an optimal schedule needs, in nanoseconds.
    pub(crate) ideal: f64,
    /// filch's runs.
    pub(crate) filch: Cell,
    /// rayon's runs.
    pub(crate) rayon: Cell,
}

impl TimeRow {
    /// The most that filch's median may be: 1.10 of the ideal or 1.05 of rayon's median, whichever
    /// is larger.
    pub(crate) fn limit(&self) -> f64 {
        (1.10 * self.ideal).max(1.05 * self.rayon.median)
    }
}

/// The rows that are asked for.
pub(crate) fn measure(options: &WaitingOptions) -> Vec<TimeRow> {
    let mut rows = Vec::new();
    for &workers in &options.workers {
        let filch = filch::Pool::start(workers);
        let rayon = rayon::ThreadPool::start(workers);
        for program in &options.programs {
            rows.push(row(options, program, workers, &filch, &rayon));
        }
    }
    rows
}

fn row(
    options: &WaitingOptions,
    program: &Program,
    workers: usize,
    filch: &filch::Pool,
    rayon: &rayon::ThreadPool,
) -> TimeRow {
    let items = options.items * workers;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        progress(&format!(
            "{}, {workers} workers: round {} of {}",
            program.name,
            round + 1,
            options.rounds
        ));
        // The other runtime begins each time.
        for turn in [round, round + 1] {
            match turn % 2 {
                0 => ours.push(nanoseconds(time(filch, program, items))),
                _ => theirs.push(nanoseconds(time(rayon, program, items))),
            }
        }
    }
    TimeRow {
        program: program.name,
        workers,
        ideal: nanoseconds(program.ideal(items, workers)),
        filch: Cell::new(filch::Pool::KIND, ours),
        rayon: Cell::new(rayon::ThreadPool::KIND, theirs),
    }
}

/// One run, from the moment at which a worker begins it.
fn time<F: Forks>(pool: &F, program: &Program, items: usize) -> Duration {
    let mut taken = Duration::ZERO;
    pool.install(|| {
        let start = Instant::now();
        program.run::<F>(items);
        taken = start.elapsed();
    });
    taken
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}
