//! A chapter: text, claims, tables, plots.

use serde::Serialize;

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
    /// What is claimed, and the results.
    pub claims: Vec<Claim>,
    /// Numbers.
    pub tables: Vec<Table>,
    /// Plots; the first is also shown on the front page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
}

/// A statement of a paper, or about filch itself, and the result of checking it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// The statement.
    pub claim: String,
    /// Paper and place.
    pub stated: &'static str,
    /// What it was checked on.
    pub checked: String,
    /// What was found.
    pub found: String,
    /// The number on which the verdict rests, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// The bound that the number is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The verdict.
    pub holds: bool,
}

/// A table of numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What the table shows.
    pub title: String,
    /// The heading of each column, with its unit.
    pub columns: Vec<&'static str>,
    /// A value for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// A value in a table: a number stays one, so that a program can read it from the JSON.
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
    /// How many claims hold, and how many there are.
    pub fn count(&self) -> (usize, usize) {
        (
            self.claims.iter().filter(|claim| claim.holds).count(),
            self.claims.len(),
        )
    }
}
