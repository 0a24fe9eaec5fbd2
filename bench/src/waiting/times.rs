//! Runs of each program on each runtime, in turn.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::args::WaitingOptions;
use super::forks::Forks;
use super::programs::TimedProgram;
use crate::output::progress;
use crate::sampling::Samples;

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
    pub(crate) filch: Samples,
    /// rayon's runs.
    pub(crate) rayon: Samples,
    /// How long the leaves of filch's runs slept, over what they asked for.
    pub(crate) filch_sleeps: Samples,
    /// The same of rayon's runs.
    pub(crate) rayon_sleeps: Samples,
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
    program: &TimedProgram,
    workers: usize,
    filch: &filch::Pool,
    rayon: &rayon::ThreadPool,
) -> TimeRow {
    let items = options.items * workers;
    let (mut ours, mut theirs) = (Timed::default(), Timed::default());
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
                0 => ours.time(filch, program, items),
                _ => theirs.time(rayon, program, items),
            }
        }
    }
    TimeRow {
        program: program.name,
        workers,
        ideal: nanoseconds(program.ideal(items, workers)),
        filch: Samples::new(filch::Pool::KIND, ours.runs),
        rayon: Samples::new(rayon::ThreadPool::KIND, theirs.runs),
        filch_sleeps: Samples::new(filch::Pool::KIND, ours.sleeps),
        rayon_sleeps: Samples::new(rayon::ThreadPool::KIND, theirs.sleeps),
    }
}

/// The runs of one runtime.
#[derive(Debug, Default)]
struct Timed {
    /// Nanoseconds.
    runs: Vec<f64>,
    /// What the leaves slept, over what they asked for.
    sleeps: Vec<f64>,
}

impl Timed {
    /// One more run, from the moment at which a worker begins it.
    fn time<F: Forks>(&mut self, pool: &F, program: &TimedProgram, items: usize) {
        pool.install(|| {
            let start = Instant::now();
            let sleeps = program.run::<F>(items);
            self.runs.push(nanoseconds(start.elapsed()));
            self.sleeps.push(sleeps);
        });
    }
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}
