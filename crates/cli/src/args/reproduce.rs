//! The arguments of `filch reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use filch_experiments::chapters::Scale;

use super::simulation::{Simulation, Threads};

#[derive(Debug, PartialEq, Args)]
pub(crate) struct Reproduce {
    #[command(flatten)]
    size: Size,
    /// The folder for the report
    #[arg(long, value_name = "DIR", default_value = "filch-report", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) simulation: Simulation,
}

/// One of the scales.
#[derive(Debug, PartialEq, Args)]
#[group(multiple = false)]
struct Size {
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

impl Reproduce {
    /// How much to run.
    pub(crate) fn scale(&self) -> Scale {
        match self.size {
            Size { sketch: true, .. } => Scale::Sketch,
            Size { full: true, .. } => Scale::Full,
            _ => Scale::Quick,
        }
    }
}
