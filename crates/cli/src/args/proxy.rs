//! The arguments of `filch proxy`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};

use super::simulation::SimulationArgs;
use super::values::{self, Fraction, PolicyList, Whole};
use crate::failure::Failure;

#[derive(Debug, PartialEq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ProxyArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProxyTask>,
    /// Run a reverse proxy as this file (TOML) says
    #[arg(long, value_name = "FILE", conflicts_with = "check", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Take the place of the proxy that runs by the same file, without closing its sockets
    #[arg(long, requires = "config")]
    pub(crate) upgrade: bool,
    /// Only say whether this file is a configuration that could be run
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) check: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum ProxyTask {
    /// See what policies are worth: ten toy servers of two speeds, a load, and the latencies live
    Demo(DemoArgs),
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DemoArgs {
    /// The load as a part of what all servers can do, between 0 and 1
    #[arg(
        long,
        value_name = "L",
        default_value = "0.8",
        allow_negative_numbers = true
    )]
    load: Fraction,
    /// How long the load lasts, 1 to 3600 seconds
    #[arg(
        long,
        value_name = "S",
        default_value = "20",
        allow_negative_numbers = true
    )]
    seconds: Whole<1, 3600>,
    /// Up to 8 policies ('filch policies' says what each means); each has ten servers of its own
    #[arg(
        long,
        value_name = "NAME,…",
        default_value = "round-robin,jsq:2,jsq,pi,idle-fastest(sed)",
        value_parser = values::policies()
    )]
    pub(crate) policy: PolicyList,
    /// Dispatchers in front of the same servers, 1 to 16, none of which sees what the others send
    #[arg(
        long,
        value_name = "D",
        default_value = "1",
        allow_negative_numbers = true
    )]
    dispatchers: Whole<1, 16>,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

impl DemoArgs {
    pub(crate) fn load(&self) -> f64 {
        self.load.get()
    }

    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs(self.seconds.get())
    }

    pub(crate) fn dispatchers(&self) -> usize {
        self.dispatchers.size()
    }
}

/// More policies than this would wait for the processor and not for their servers.
const MOST_POLICIES: usize = 8;

impl ProxyArgs {
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self {
            Self {
                command: Some(ProxyTask::Demo(demo)),
                ..
            } => match demo.policy.0.len() {
                count if count > MOST_POLICIES => Err(Failure::usage(format!(
                    "--policy names {count} policies: use at most {MOST_POLICIES} at once"
                ))),
                _ => Ok(()),
            },
            Self {
                command: None,
                config: None,
                check: None,
                ..
            } => Err(Failure::usage(
                "proxy: nothing to do: start with 'filch proxy demo', or name a file with --config \
                 FILE",
            )),
            _ => Ok(()),
        }
    }
}
