//! The whole report.

use filch_sim::machine::Record;
use serde::Serialize;

use super::chapter::Chapter;
use super::outcome::Count;
use super::plot::Plot;

/// All results of `filch reproduce`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The version of filch that ran.
    pub version: &'static str,
    /// How much was run: `sketch`, `quick` or `full`.
    pub scale: &'static str,
    /// What all randomness came from.
    pub seed: u64,
    /// What to type to get the same report.
    pub command: String,
    /// The titles of chapters that are not done: empty unless the run is under way, or was
    /// interrupted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<&'static str>,
    /// The chapters that are done.
    pub chapters: Vec<Chapter>,
    /// Small runs to watch. They are in the HTML only: their command prints them as JSON.
    #[serde(skip)]
    pub schedules: Vec<Schedule>,
}

/// A recorded run of a computation on simulated processors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Schedule {
    /// The computation.
    pub computation: String,
    /// The scheduler.
    pub scheduler: &'static str,
    /// The seed of the run.
    pub seed: u64,
    /// What to type to get the record.
    pub command: String,
    /// What happened.
    #[serde(flatten)]
    pub record: Record,
}

impl Report {
    /// Adds the next chapter, which is then no longer missing.
    pub fn add(&mut self, chapter: Chapter) {
        self.missing.retain(|title| *title != chapter.title);
        self.chapters.push(chapter);
    }

    /// The plots of all chapters.
    pub fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.chapters.iter().flat_map(|chapter| &chapter.plots)
    }

    /// How many claims of all chapters have each outcome.
    pub fn count(&self) -> Count {
        let claims = self.chapters.iter().flat_map(|chapter| &chapter.claims);
        claims.map(|claim| claim.outcome).collect()
    }
}
