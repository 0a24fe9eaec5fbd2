//! The arguments of `filch sweep` and `filch merge`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use filch_experiments::sweep::{Precision, Shard};
use filch_random::Seed;

use super::simulation::{ThreadsArgs, seed};

#[derive(Debug, PartialEq, Args)]
pub(crate) struct SweepArgs {
    /// The sweep (TOML): model, grid of parameters, replications, precision, seed; docs/sweeps.md
    /// explains it
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Only part K of N, for one of N machines; 'filch merge' joins them
    #[arg(long, value_name = "K/N", default_value_t = Shard::WHOLE)]
    pub(crate) shard: Shard,
    /// Add replications of each point until the half-width of its 95 % interval is at most this
    /// part of the mean, such as 1% [default: what the file says]
    #[arg(long, value_name = "P", value_parser = Precision::relative_from)]
    pub(crate) until: Option<f64>,
    /// The folder for rows and results; a sweep that was stopped goes on there
    #[arg(long, value_name = "DIR", default_value = "filch-sweep", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    /// The number that the sweep can be repeated from, 0 to 2^64 - 1 [default: 1, or what the file
    /// says]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: Option<Seed>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct MergeArgs {
    /// The folder with the shards of a sweep, or with folders that have them
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// The folder for the results [default: DIR]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
