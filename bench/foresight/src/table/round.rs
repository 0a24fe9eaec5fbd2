//! Recorded runs and plain runs in turn.
//!
//! A machine may change its speed within seconds, so a prediction is compared with the runs of the
//! same round, and the round with the median error counts. In a round everything is run three
//! times. What disturbs a recorded run only adds to its work, so the one with the least work
//! counts; of plain runs the median does.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use filch::Pool;
use filch_experiments::profile::{Analysis, Prediction, Timeline, Total};
use filch_random::Seed;
use filch_sim::machine::replay::Prices;

use super::compared::Compared;
use super::recorded::{self, Recorded};
use crate::programs::Program;

const ROUNDS: usize = 5;
const RUNS: usize = 3;

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Measure {
    Work,
    Span,
    /// The time on so many threads.
    Time(usize),
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work => f.write_str("work"),
            Self::Span => f.write_str("span"),
            Self::Time(threads) => write!(f, "{threads}"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) recorded_on: usize,
    pub(super) measure: Measure,
}

/// The rounds of one program.
pub(super) struct Rounds<'program> {
    program: &'program Program,
    prices: Prices,
    /// The numbers of threads on which it is measured, each with its pool.
    pools: Vec<(usize, Pool)>,
    found: BTreeMap<Row, Vec<Compared>>,
}

impl<'program> Rounds<'program> {
    pub(super) fn new(program: &'program Program, prices: Prices) -> Self {
        let processors: &[usize] = if program.sleeps {
            &[1, 2, 8, 32]
        } else {
            &[1, 2]
        };
        let pool = |&threads: &usize| {
            let pool = Pool::new(threads).expect("the system gives us threads");
            program.time_on(&pool);
            (threads, pool)
        };
        Self {
            program,
            prices,
            pools: processors.iter().map(pool).collect(),
            found: BTreeMap::new(),
        }
    }

    /// Runs all rounds, with profiles recorded on each of these numbers of threads.
    pub(super) fn run(&mut self, recording: &Path, recorded_on: &[usize]) -> Result<(), String> {
        for _ in 0..ROUNDS {
            let times = self.measure();
            for &threads in recorded_on {
                let recorded = self.record(recording, threads)?;
                self.compare(threads, &recorded, &times);
            }
        }
        Ok(())
    }

    /// For each row the round with the median error.
    pub(super) fn medians(self) -> impl Iterator<Item = (Row, Compared)> {
        let median = |(row, compared)| (row, Compared::median(compared));
        self.found.into_iter().map(median)
    }

    /// The times on each pool, which has just run the program.
    fn measure(&self) -> Vec<Duration> {
        let time = |(_, pool): &(usize, Pool)| {
            self.program.time_on(pool);
            let mut times = [(); RUNS].map(|()| self.program.time_on(pool));
            times.sort_unstable();
            times[RUNS / 2]
        };
        self.pools.iter().map(time).collect()
    }

    fn record(&self, recording: &Path, threads: usize) -> Result<Recorded, String> {
        let run = |_| recorded::record(recording, self.program, threads);
        let runs: Vec<Recorded> = (0..RUNS).map(run).collect::<Result<_, _>>()?;
        let least = runs.into_iter().min_by_key(|run| self.total(run).work);
        Ok(least.expect("there are runs"))
    }

    fn total(&self, recorded: &Recorded) -> Total {
        Analysis::of(&recorded.profile, self.prices.fork, self.prices.steal).total
    }

    fn compare(&mut self, recorded_on: usize, recorded: &Recorded, times: &[Duration]) {
        let profile = &recorded.profile;
        if let Some(known) = recorded.known {
            let total = self.total(recorded);
            self.add(recorded_on, Measure::Work, total.work, known.work);
            self.add(recorded_on, Measure::Span, total.span, known.span);
        }
        let threads: Vec<usize> = self.pools.iter().map(|&(threads, _)| threads).collect();
        let predicted = Prediction::of(profile, &self.prices, &threads, Seed::default());
        // What is outside of the section is not measured either.
        let outside = Timeline::of(profile).serial;
        for ((row, &threads), &time) in predicted.rows.iter().zip(&threads).zip(times) {
            let measure = Measure::Time(threads);
            self.add(recorded_on, measure, row.time - outside, time);
        }
    }

    fn add(
        &mut self,
        recorded_on: usize,
        measure: Measure,
        found: filch_profile::Duration,
        should_be: Duration,
    ) {
        let row = Row {
            recorded_on,
            measure,
        };
        let compared = Compared {
            found: Duration::from_nanos(found.picos() / 1000),
            should_be,
        };
        self.found.entry(row).or_default().push(compared);
    }
}
