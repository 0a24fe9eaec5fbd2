//! `filch theory`: a topic for each group of theorems.

use clap::{Args, Subcommand};
use filch_experiments::natural::Process;

use super::natural::RawProcess;
use super::theory_dag::{self, DagTheory, RawDagTheory};
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum RawTheory {
    /// Computations on P processors: BL99 and ABP01
    Dag(RawDagTheory),
    /// The bounds on the natural work-stealing process (BFG01, BFG03)
    Natural(RawTheoryOfNatural),
}

#[derive(Debug, Args)]
pub(crate) struct RawTheoryOfNatural {
    #[command(flatten)]
    process: RawProcess,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

/// Whose promises to print.
#[derive(Debug, PartialEq)]
pub(crate) enum Theory {
    Dag(DagTheory),
    Natural(TheoryOfNatural),
}

#[derive(Debug, PartialEq)]
pub(crate) struct TheoryOfNatural {
    pub(crate) process: Process,
    pub(crate) json: bool,
}

pub(super) fn check(raw: RawTheory) -> Result<Theory, Failure> {
    Ok(match raw {
        RawTheory::Dag(raw) => Theory::Dag(theory_dag::check(raw)?),
        RawTheory::Natural(raw) => Theory::Natural(TheoryOfNatural {
            process: raw.process.check()?,
            json: raw.json,
        }),
    })
}
