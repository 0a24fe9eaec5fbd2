//! A chapter: text, claims, tables, plots.

use serde::Serialize;

use super::outcome::{Count, Outcome};
use super::plot::Plot;

/// A chapter of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chapter {
    /// A name for links: small letters and hyphens.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
    /// What was done and why, in a paragraph.
    pub text: String,
    /// Whether the numbers are measurements on this machine, which differ from run to run.
    pub measured: bool,
    /// The claims that were checked.
    pub claims: Vec<Claim>,
    /// Tables of results.
    pub tables: Vec<Table>,
    /// Plots. The first is shown on the front page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
}

/// A statement of a paper, or about our own tools, and the result of checking it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The statement.
    pub claim: String,
    /// Where it is stated: the paper and the place in it.
    pub stated: &'static str,
    /// The runs on which it was checked.
    pub checked: String,
    /// The result, in words.
    pub found: String,
    /// The number that decides, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// The number that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Whether the statement holds on these runs.
    pub outcome: Outcome,
}

/// A table of results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The heading of each column, with its unit.
    pub columns: Vec<&'static str>,
    /// A value for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// A value in a table. Numbers are numbers in JSON too.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A count.
    Integer(u64),
    /// A quantity.
    Real(f64),
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
    /// How many claims have each outcome.
    pub fn count(&self) -> Count {
        self.claims.iter().map(|claim| claim.outcome).collect()
    }
}
