//! The arguments of `filch reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use filch_experiments::chapters::Scale;

use super::simulation::{SimulationArgs, ThreadsArgs};

#[derive(Debug, PartialEq, Args)]
pub(crate) struct ReproduceArgs {
    #[command(flatten)]
    size: ScaleArgs,
    /// The folder for the report
    #[arg(long, value_name = "DIR", default_value = "filch-report", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// Go on where an earlier run with this folder, scale and seed stopped
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

/// One of the scales.
#[derive(Debug, PartialEq, Args)]
#[group(multiple = false)]
struct ScaleArgs {
    /// A few seconds, to see what the report looks like; its verdicts mean little
    #[arg(long)]
    sketch: bool,
    /// A few minutes at most (the default)
    #[arg(long)]
    quick: bool,
    /// The papers' own scale
    #[arg(long)]
    full: bool,
}

impl ReproduceArgs {
    /// How much to run.
    pub(crate) fn scale(&self) -> Scale {
        match self.size {
            ScaleArgs { sketch: true, .. } => Scale::Sketch,
            ScaleArgs { full: true, .. } => Scale::Full,
            _ => Scale::Quick,
        }
    }
}
