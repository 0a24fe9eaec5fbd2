//! Runs of each program on each runtime, in turn.

use std::time::Instant;

use serde::Serialize;

use super::args::WaitingOptions;
use super::forks::Forks;
use super::programs::TimedProgram;
use crate::output::progress;
use crate::runtimes::RuntimeKind;
use crate::sampling::Samples;

/// The runs of one program with so many workers.
#[derive(Debug, Serialize)]
pub(crate) struct TimeRow {
    /// The program.
    pub(crate) program: &'static str,
    /// Workers of each pool.
    pub(crate) workers: usize,
    /// What the leaves ask to sleep, over the workers, in milliseconds.
    pub(crate) asked_ms: f64,
    /// filch's runs.
    pub(crate) filch: TimedRuns,
    /// rayon's runs.
    pub(crate) rayon: TimedRuns,
}

/// The runs of one runtime.
#[derive(Debug, Serialize)]
pub(crate) struct TimedRuns {
    /// The time over that of an optimal schedule of the same leaves, each as long as it turned out.
    pub(crate) over_ideal: Samples,
    /// How long the leaves slept, over what they asked for.
    pub(crate) sleeps: Samples,
    /// The time in nanoseconds.
    pub(crate) nanoseconds: Samples,
}

impl TimeRow {
    /// The most that filch's median over the ideal may be: 1.10, or 1.05 of rayon's median,
    /// whichever is larger.
    pub(crate) fn limit(&self) -> f64 {
        f64::max(1.10, 1.05 * self.rayon.over_ideal.median)
    }

    /// Whether filch keeps to it.
    pub(crate) fn is_met(&self) -> bool {
        self.filch.over_ideal.median <= self.limit()
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
    let mut ours = Stopwatch::new(program, workers, items);
    let mut theirs = Stopwatch::new(program, workers, items);
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
                0 => ours.time(filch),
                _ => theirs.time(rayon),
            }
        }
    }
    TimeRow {
        program: program.name,
        workers,
        asked_ms: program.work(items).as_secs_f64() * 1e3 / workers as f64,
        filch: ours.runs(filch::Pool::KIND),
        rayon: theirs.runs(rayon::ThreadPool::KIND),
    }
}

/// Times one program on one runtime.
#[derive(Debug)]
struct Stopwatch<'a> {
    program: &'a TimedProgram,
    workers: usize,
    items: usize,
    over_ideal: Vec<f64>,
    sleeps: Vec<f64>,
    nanoseconds: Vec<f64>,
}

impl<'a> Stopwatch<'a> {
    fn new(program: &'a TimedProgram, workers: usize, items: usize) -> Self {
        Stopwatch {
            program,
            workers,
            items,
            over_ideal: Vec::new(),
            sleeps: Vec::new(),
            nanoseconds: Vec::new(),
        }
    }

    /// One more run, from the moment at which a worker begins it.
    fn time<F: Forks>(&mut self, pool: &F) {
        pool.install(|| {
            let start = Instant::now();
            let sleeps = self.program.run::<F>(self.items);
            let taken = start.elapsed();
            let ideal = sleeps.ideal(self.workers);
            self.over_ideal.push(taken.div_duration_f64(ideal));
            self.sleeps.push(sleeps.lateness());
            self.nanoseconds.push(taken.as_nanos() as f64);
        });
    }

    fn runs(self, kind: RuntimeKind) -> TimedRuns {
        TimedRuns {
            over_ideal: Samples::new(kind, self.over_ideal),
            sleeps: Samples::new(kind, self.sleeps),
            nanoseconds: Samples::new(kind, self.nanoseconds),
        }
    }
}
