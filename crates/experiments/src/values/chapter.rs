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
    /// What is claimed, and what came out.
    pub claims: Vec<Claim>,
    /// Numbers.
    pub tables: Vec<Table>,
    /// Pictures; the first is the one that sums the chapter up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
}

/// Something that a paper says, or that we say of our own tools, and what came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// What is said.
    pub claim: String,
    /// Paper and place.
    pub stated: &'static str,
    /// What was looked at to check it.
    pub checked: String,
    /// What was found.
    pub found: String,
    /// The number that decides, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// What that number is held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The verdict.
    pub holds: bool,
}

/// Numbers that are worth seeing together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// What they are.
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
