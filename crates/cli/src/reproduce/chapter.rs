//! What a chapter is made of: values, for printers to show.

use std::num::NonZero;

use filch_random::Seed;
use serde::Serialize;

use crate::args::Scale;
use crate::parallel;
use crate::progress::Progress;

/// What a chapter is told.
pub(super) struct Setting<'a> {
    pub(super) scale: Scale,
    pub(super) seed: Seed,
    threads: NonZero<usize>,
    progress: &'a Progress,
}

impl<'a> Setting<'a> {
    pub(super) fn new(scale: Scale, seed: Seed, progress: &'a Progress) -> Self {
        Self {
            scale,
            seed,
            threads: parallel::threads(),
            progress,
        }
    }

    #[cfg(test)]
    pub(super) fn with_threads(self, threads: usize) -> Self {
        Self {
            threads: NonZero::new(threads).expect("at least one thread"),
            ..self
        }
    }

    /// Announces how many runs will be made, so that the progress bar can tell the time left.
    pub(super) fn expect(&self, runs: usize) {
        self.progress.expect(runs);
    }

    /// One of the announced runs is done.
    pub(super) fn tick(&self) {
        self.progress.done();
    }

    /// Makes `count` independent runs on all cores; the results come in order.
    pub(super) fn runs<T: Send>(&self, count: usize, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
        parallel::map(count, self.threads, |index| {
            let value = run(index as u64);
            self.progress.done();
            value
        })
    }
}

/// A chapter of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Chapter {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// What was done and why, in a paragraph.
    pub(super) text: String,
    /// Whether the numbers are measurements on this machine, which differ from run to run.
    pub(super) measured: bool,
    pub(super) claims: Vec<Claim>,
    pub(super) tables: Vec<Table>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) plots: Vec<Plot>,
}

/// Something that a paper says, or that we say of our own tools, and what came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Claim {
    pub(super) claim: String,
    /// Paper and place.
    pub(super) stated: &'static str,
    /// What was looked at to check it.
    pub(super) checked: String,
    /// What was found.
    pub(super) found: String,
    /// The number that decides, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) measured: Option<f64>,
    /// What that number is held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bound: Option<f64>,
    pub(super) holds: bool,
}

/// Numbers that are worth seeing together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Table {
    pub(super) title: String,
    pub(super) columns: Vec<&'static str>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A value in a table: a number stays one, so that a program can read it from the JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Cell {
    Text(String),
    Integer(u64),
    Real(f64),
}

/// Curves that are worth seeing together. Written as `ID.csv` beside the report too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Plot {
    /// A name for files and links: small letters, digits, hyphens; no two plots share one.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// What to type to get points of this plot alone.
    pub(super) command: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Axis {
    /// What is shown, with its unit.
    pub(super) label: &'static str,
    pub(super) logarithmic: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) origin: Origin,
    pub(super) points: Vec<Point>,
}

/// Where the values of a series come from, which is how they are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Origin {
    /// A theorem.
    Theory,
    /// Virtual time.
    Simulated,
    /// This machine.
    #[allow(
        dead_code,
        reason = "for plots of chapters that measure; none has one yet"
    )]
    Measured,
}

impl Origin {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Theory => "theory",
            Self::Simulated => "simulated",
            Self::Measured => "measured",
        }
    }
}

/// A point of a curve, with the ends of its confidence interval if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) interval: Option<[f64; 2]>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl Chapter {
    /// How many claims hold, and how many there are.
    pub(super) fn count(&self) -> (usize, usize) {
        (
            self.claims.iter().filter(|claim| claim.holds).count(),
            self.claims.len(),
        )
    }
}
