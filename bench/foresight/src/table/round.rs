//! Recorded runs and plain runs in turn.
//!
//! A machine may change its speed within seconds, so a prediction is compared with the runs of the
//! same round, and the round with the median error counts.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use filch::Pool;
use filch_experiments::profile::{Analysis, Prediction, Timeline};
use filch_random::Seed;
use filch_sim::machine::replay::Prices;

use super::compared::Compared;
use super::recorded::{self, Recorded};
use crate::programs::Program;

const ROUNDS: usize = 7;

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
                let recorded = recorded::record(recording, self.program, threads)?;
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

    fn measure(&self) -> Vec<Duration> {
        let time = |(_, pool): &(usize, Pool)| self.program.time_on(pool);
        self.pools.iter().map(time).collect()
    }

    fn compare(&mut self, recorded_on: usize, recorded: &Recorded, times: &[Duration]) {
        let profile = &recorded.profile;
        if let Some(known) = recorded.known {
            let total = Analysis::of(profile, self.prices.fork, self.prices.steal).total;
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
