//! The arguments: one struct for each command, whose fields have the types that they mean.
//!
//! clap reads them: ranges, possible values, conflicts and requirements are declared with the
//! fields. What it cannot express, such as one number that must be larger than another, is in the
//! method `check` of a command. Every complaint is one line that names the argument and says what
//! to type instead ([`complaint`]).

mod complaint;
mod dag;
mod dispatch;
mod fleet;
mod limit;
mod natural;
mod profile;
mod proxy;
mod reproduce;
mod rivals;
mod simulation;
mod sweep;
mod theory;
mod values;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;

use crate::failure::Failure;

pub(crate) use dag::{
    DagExportArgs, DagKernelArgs, DagMeasureArgs, DagRunArgs, DagShowArgs, DagTask,
};
pub(crate) use dispatch::DispatchArgs;
pub use dispatch::SweepPlan;
pub(crate) use fleet::FleetArgs;
pub(crate) use limit::{LimitModel, LimitNaturalArgs, LimitStealingArgs, LimitSupermarketArgs};
pub(crate) use natural::NaturalArgs;
pub(crate) use profile::ProfileArgs;
pub(crate) use proxy::{DemoArgs, ProxyArgs, ProxyTask};
pub(crate) use reproduce::ReproduceArgs;
pub(crate) use rivals::RivalsArgs;
pub(crate) use sweep::{MergeArgs, SweepArgs};
pub(crate) use theory::{TheoryDagArgs, TheoryNaturalArgs, TheoryTopic};
pub(crate) use values::nearest;

/// Distributes work: over threads, over servers and over simulated machines, by the same rules.
#[derive(Debug, Parser)]
#[command(
    name = "filch",
    version = env!("FILCH_VERSION"),
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Start with 'filch reproduce': it runs what the papers claim and writes a report."
)]
pub(crate) struct Filch {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum Command {
    /// Run what the papers claim and write the report
    Reproduce(ReproduceArgs),
    /// Run computations on simulated processors
    #[command(subcommand)]
    Dag(DagTask),
    /// Simulate the natural work-stealing process
    Natural(NaturalArgs),
    /// Print what the papers promise, without simulating
    #[command(subcommand)]
    Theory(TheoryTopic),
    /// Print what a process comes to with very many processors, without simulating
    #[command(subcommand)]
    Limit(LimitModel),
    /// Put the natural work-stealing process beside its rivals, on the same jobs
    Rivals(RivalsArgs),
    /// Put dispatch policies in front of equal servers in continuous time, beside their limits
    Fleet(FleetArgs),
    /// Put dispatch policies in front of simulated servers (PI's server farm)
    Dispatch(DispatchArgs),
    /// Run a model on a grid of parameters, on this machine or on many
    Sweep(SweepArgs),
    /// Join the shards of a sweep
    Merge(MergeArgs),
    /// Predict a recorded program on other machines, and say what is in the way
    Profile(ProfileArgs),
    /// Put dispatch policies in front of real servers
    Proxy(ProxyArgs),
    /// List every policy name with its meaning, or explain one name
    Policies(PoliciesArgs),
    /// Say which optional parts this machine has, and what each is for
    Doctor(DoctorArgs),
    /// Print a script that completes filch's arguments in your shell
    ///
    /// For bash: filch completions bash > ~/.local/share/bash-completion/completions/filch
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page of filch, or of one of its commands
    ///
    /// To read it: filch man dag run | man -l -
    Man {
        /// The command, such as 'dag run'
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Print the help of every command as one page of Markdown
    #[command(hide = true)]
    Reference,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct PoliciesArgs {
    /// A name to check and explain, such as jsq:2 or 'min(half,8)' [default: list all]
    #[arg(value_hint = clap::ValueHint::Other)]
    pub(crate) name: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DoctorArgs {
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was typed.
#[derive(Debug, PartialEq)]
pub(crate) enum Typed {
    /// A request for the help or the version, which is this text.
    Help(String),
    Command(Command),
}

/// Reads the arguments of the program, its own name first.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Typed, Failure> {
    let typed: Vec<OsString> = args.collect();
    match Filch::try_parse_from(&typed) {
        Ok(Filch { command }) => {
            command.check()?;
            Ok(Typed::Command(command))
        }
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Typed::Help(error.to_string()))
            }
            _ => {
                let line = complaint::one_line(&error, &Filch::command(), &typed);
                Err(Failure::Usage(line))
            }
        },
    }
}

impl Command {
    /// What clap cannot check.
    fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Dag(command) => command.check(),
            Self::Natural(options) => options.check(),
            Self::Theory(options) => options.check(),
            Self::Fleet(options) => options.check(),
            Self::Rivals(options) => options.check(),
            Self::Dispatch(options) => options.check(),
            Self::Profile(options) => options.check(),
            Self::Proxy(options) => options.check(),
            Self::Reproduce(_)
            | Self::Limit(_)
            | Self::Sweep(_)
            | Self::Merge(_)
            | Self::Policies(_)
            | Self::Doctor(_)
            | Self::Completions { .. }
            | Self::Man { .. }
            | Self::Reference => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
