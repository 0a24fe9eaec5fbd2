//! The arguments of `filch theory`: a topic for each group of theorems.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueHint};
use filch_workload::dag::Family;

use super::dag::Processors;
use super::natural::ProcessArgs;
use super::values::{self, Fraction, Whole};
use crate::failure::Failure;

/// Which promises to print.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum TheoryTopic {
    /// Print the bounds on a computation on P processors (BL99, ABP01)
    Dag(TheoryDagArgs),
    /// Print the bounds on the natural work-stealing process (BFG01, BFG03)
    Natural(TheoryNaturalArgs),
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct TheoryNaturalArgs {
    #[command(flatten)]
    pub(crate) process: ProcessArgs,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is known about the computation: it is there to be measured, or its measures are typed.
#[derive(Debug, PartialEq, Args)]
#[command(group = ArgGroup::new("computation").args(["family", "file", "work"]).required(true))]
pub(crate) struct TheoryDagArgs {
    /// A computation with a name; N, DEPTH, GRAIN, THREADS and SEED stand for numbers
    #[arg(long, value_name = "F", value_parser = values::family())]
    pub(crate) family: Option<Family>,
    /// A computation in a file, as 'filch dag export' writes it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// T1: the number of instructions, from 1
    #[arg(
        long,
        value_name = "N",
        requires = "span",
        allow_negative_numbers = true
    )]
    pub(crate) work: Option<Whole<1>>,
    /// Tinf: the instructions on a longest path, from 1 to T1
    #[arg(
        long,
        value_name = "N",
        requires = "work",
        allow_negative_numbers = true
    )]
    pub(crate) span: Option<Whole<1>>,
    /// S1: the space of one processor, from 1 [default: 1]
    #[arg(
        long,
        value_name = "N",
        requires = "work",
        allow_negative_numbers = true
    )]
    pub(crate) stack_depth: Option<Whole<1>>,
    /// nd: the most join edges from a thread to its parent [default: 1]
    #[arg(
        long,
        value_name = "N",
        requires = "work",
        allow_negative_numbers = true
    )]
    pub(crate) nd: Option<Whole<0>>,
    /// Smax: the largest frame [default: 1]
    #[arg(
        long,
        value_name = "N",
        requires = "work",
        allow_negative_numbers = true
    )]
    pub(crate) largest_frame: Option<Whole<0>>,
    /// P: the number of processors, 1 to 100000000
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) processors: Processors,
    /// How often the bounds with a probability may fail, between 0 and 1
    #[arg(
        long,
        value_name = "E",
        default_value = "0.01",
        allow_negative_numbers = true
    )]
    pub(crate) epsilon: Fraction,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

impl TheoryTopic {
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Natural(options) => options.process.check(),
            Self::Dag(TheoryDagArgs {
                work: Some(work),
                span: Some(span),
                ..
            }) if span.get() > work.get() => Err(Failure::usage(format!(
                "--span {} is more than --work {}: a path has no more instructions than there are",
                span.get(),
                work.get()
            ))),
            Self::Dag(_) => Ok(()),
        }
    }
}
