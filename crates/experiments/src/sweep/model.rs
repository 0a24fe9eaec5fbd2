//! The models that can be swept.

use std::collections::HashMap;
use std::fmt;

use filch_random::Seed;
use filch_workload::dag::Measures;

use super::column::{Column, ResultCell};
use super::models;
use super::parameter::Parameter;
use super::settings::{Misfit, Settings};

/// A model: its parameters, and what a run of it results in.
pub struct Model {
    /// The name: the words of the command that runs it.
    pub name: &'static str,
    /// The parameters, in the order in which points are numbered.
    pub parameters: &'static [Parameter],
    /// The columns of results.
    pub results: &'static [Column],
    /// The column whose interval a [precision](super::Precision) is about; none if there is no
    /// randomness.
    pub target: Option<&'static str>,
    /// Fills in what depends on other parameters.
    pub(super) fill: fn(&mut Settings<'_>),
    /// Refuses what cannot be run.
    pub(super) examine: fn(&Settings<'_>, &mut Measured) -> Result<Examined, Misfit>,
    /// Makes a run of a point that was examined.
    pub(super) run: fn(&Settings<'_>, Seed, u64) -> Result<Vec<ResultCell>, String>,
}

/// What is known of a point before it is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Examined {
    /// The time of a run, in units that are the same for all points of one model.
    pub(super) weight: f64,
    /// The bytes of a run, about.
    pub(super) bytes: u64,
    /// Whether replications differ.
    pub(super) random: bool,
}

/// The measures of computations, by name, so that each is measured once.
pub(super) type Measured = HashMap<String, Measures>;

impl Model {
    /// Every model.
    pub const ALL: [&'static Self; 7] = [
        &models::NATURAL,
        &models::DISPATCH,
        &models::DAG,
        &models::FLEET,
        &models::LIMIT_NATURAL,
        &models::LIMIT_STEALING,
        &models::LIMIT_SUPERMARKET,
    ];

    /// The model of this name.
    ///
    /// # Errors
    ///
    /// If there is none: which there are.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        let known = Self::ALL.into_iter().find(|model| model.name == name);
        known.ok_or_else(|| {
            let names = Self::ALL.map(|model| format!("\"{}\"", model.name));
            let name = name.escape_debug();
            format!("unknown model '{name}': use one of {}", names.join(", "))
        })
    }

    pub(super) fn target_at(&self) -> Option<usize> {
        let target = self.target?;
        self.results.iter().position(|column| column.name == target)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(&self.name).finish()
    }
}

/// Models have different names.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
