//! The arguments of `filch dispatch`, and what they and a scenario file come to.

mod plan;
mod scenario;
mod toml_number;

use std::path::PathBuf;

use clap::{Args, ValueHint};
use filch_experiments::dispatch::Classes;
use filch_random::Seed;
use filch_sim::farm::Length;
use filch_workload::Load;

use super::simulation::{ThreadsArgs, seed};
use super::values::{self, Loads, PolicyList, Whole};
use crate::failure::Failure;

pub use plan::SweepPlan;

/// A number of slots.
type Slots<const LEAST: u64> = Whole<LEAST, { Length::MOST_SLOTS as u64 }>;

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DispatchArgs {
    /// A scenario file (TOML) that says what the options on servers, loads, policies and batches
    /// say, and more
    #[arg(
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = [
            "servers", "load", "loads", "policy", "split", "whole", "allow_overload"
        ]
    )]
    scenario: Option<PathBuf>,
    /// Classes of servers; CAPACITY is a mean (uniform from 1 on) or a capacity such as constant:3
    /// ('filch policies' lists them)
    #[arg(
        long,
        value_name = "NAME=COUNT@CAPACITY,…",
        default_value = "slow=50@1,fast=50@10",
        value_hint = ValueHint::Other
    )]
    servers: Classes,
    /// The load: what arrives in a slot as a part of what all servers can do, in Poisson batches;
    /// between 0 and 1, or above with --allow-overload
    #[arg(
        long,
        value_name = "L",
        default_value = "0.9",
        value_parser = values::load,
        allow_hyphen_values = true
    )]
    load: Load,
    /// Several loads, such as 0.05:0.95:0.05
    #[arg(
        long,
        value_name = "FROM:TO:STEP",
        conflicts_with = "load",
        allow_hyphen_values = true
    )]
    loads: Option<Loads>,
    /// Policies ('filch policies' says what each means)
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "pi,jiq,jsq,jsq:2,jsq:1:1",
        value_parser = values::policies()
    )]
    policy: PolicyList,
    /// A batch goes to one server (the default)
    #[arg(long, conflicts_with = "split")]
    whole: bool,
    /// A batch may be spread over several servers
    #[arg(long)]
    split: bool,
    /// How many slots, 1 to 2147483647 [default: 100000, or what the scenario says]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    slots: Option<Slots<1>>,
    /// Slots at the start that do not count, fewer than K [default: for the mean queue as MSER-5
    /// finds, otherwise 0]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    warmup: Option<Slots<0>>,
    /// Allow loads of 1 and more, under which queues grow for ever
    #[arg(long)]
    allow_overload: bool,
    /// Write the raw results into this folder: runs.csv, queues.csv, completions.csv
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) csv: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    /// The number that the run can be repeated from, 0 to 2^64 - 1 [default: 1, or what the
    /// scenario says]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<Seed>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

impl DispatchArgs {
    /// Refuses an overload that was not asked for. What the scenario adds is checked with it
    /// ([`DispatchArgs::plan`]).
    pub(super) fn check(&self) -> Result<(), Failure> {
        let (argument, loads) = match &self.loads {
            Some(Loads(loads)) => ("--loads", loads.as_slice()),
            None => ("--load", std::slice::from_ref(&self.load)),
        };
        let too_much = loads.iter().find(|load| load.get() >= 1.0);
        match too_much.filter(|_| !self.allow_overload) {
            Some(load) => Err(Failure::usage(format!(
                "{argument}: {load}: a load is below 1, or queues grow for ever: if that is meant, \
                 add --allow-overload"
            ))),
            None => Ok(()),
        }
    }
}
