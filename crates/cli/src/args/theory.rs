//! `filch theory`: a topic for each group of theorems.

use clap::Subcommand;

use super::theory_dag::{self, DagTheory, RawDagTheory};
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum RawTheory {
    /// Computations on P processors: BL99 and ABP01
    Dag(RawDagTheory),
}

/// What to print bounds about.
#[derive(Debug, PartialEq)]
pub(crate) enum Theory {
    Dag(DagTheory),
}

pub(super) fn check(raw: RawTheory) -> Result<Theory, Failure> {
    Ok(match raw {
        RawTheory::Dag(raw) => Theory::Dag(theory_dag::check(raw)?),
    })
}
