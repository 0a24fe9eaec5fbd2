//! What can be typed.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use super::dag::RawDag;
use super::dispatch::RawDispatch;
use super::natural::RawNatural;
use super::proxy::RawProxy;
use super::theory::RawTheory;

/// Distributes work: over threads, over servers and over simulated machines, by the same rules.
#[derive(Debug, Parser)]
#[command(
    name = "filch",
    version,
    disable_help_subcommand = true,
    max_term_width = 100
)]
#[command(
    after_help = "Start with 'filch reproduce': it runs what the papers claim and writes a report."
)]
pub(crate) struct RawArgs {
    #[command(subcommand)]
    pub(crate) command: RawCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RawCommand {
    /// Run what the papers claim and write the report
    Reproduce(RawReproduce),
    /// Run computations on simulated processors
    #[command(subcommand)]
    Dag(RawDag),
    /// Simulate the natural work-stealing process
    Natural(RawNatural),
    /// Print what the papers promise, without simulating
    #[command(subcommand)]
    Theory(RawTheory),
    /// Put dispatch policies in front of simulated servers (PI's server farm)
    Dispatch(RawDispatch),
    /// Put dispatch policies in front of real servers
    Proxy(RawProxy),
    /// List every policy name with its meaning, or explain one name
    Policies(RawPolicies),
    /// Print a script that completes filch's arguments in your shell
    ///
    /// For bash: filch completions bash > ~/.local/share/bash-completion/completions/filch
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of filch, or of one of its commands
    ///
    /// To read it: filch man | man -l -
    Man {
        /// The command
        command: Option<String>,
    },
}

/// What every simulating command takes.
#[derive(Debug, Args)]
pub(crate) struct RawSimulation {
    /// The number that the run can be repeated from
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub(crate) seed: String,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RawReproduce {
    /// A few seconds, to see what the report looks like; its verdicts mean little
    #[arg(long, conflicts_with_all = ["quick", "full"])]
    pub(crate) sketch: bool,
    /// A few minutes at most (the default)
    #[arg(long, conflicts_with = "full")]
    pub(crate) quick: bool,
    /// The papers' own scale
    #[arg(long)]
    pub(crate) full: bool,
    /// The folder for the report
    #[arg(long, value_name = "DIR", default_value = "filch-report")]
    pub(crate) out: OsString,
    #[command(flatten)]
    pub(crate) simulation: RawSimulation,
}

#[derive(Debug, Args)]
pub(crate) struct RawPolicies {
    /// A name to check and explain, such as jsq:2 or 'min(half,8)'
    pub(crate) name: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
