//! The arguments of `filch natural`, some of which `filch theory natural` takes too.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use filch_experiments::natural::{Process, RunLength};
use filch_policy::steal::StealFunction;
use filch_sim::natural::MOST_PROCESSORS;
use filch_workload::{Placement, Probability};

use super::simulation::{ReplicationsArgs, SimulationArgs, ThreadsArgs};
use super::values::{self, MOST_JOBS, Positive, Whole};
use crate::failure::Failure;
use crate::memory;

/// n, λ, f and D: what `filch natural` and `filch theory natural` share.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct ProcessArgs {
    /// The number of processors, and of generators: 1 to 2147483647
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    processors: Whole<1, { MOST_PROCESSORS as u64 }>,
    /// The probability with which a generator makes a job in a step, 0 to 1
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    lambda: Probability,
    /// How many of its jobs an asked processor gives away: a steal function ('filch policies' says
    /// what each means)
    #[arg(long, value_name = "F", default_value = "half", value_parser = values::steal_function())]
    steal: StealFunction,
    /// Where the generators sit: a placement ('filch policies' says what each means)
    #[arg(long, value_name = "G", default_value = "one", value_parser = values::placement())]
    generators: Placement,
    /// The constant c of the bounds, which their proof wants "sufficiently large": above 0, up to
    /// 1e12
    #[arg(
        long,
        value_name = "C",
        default_value = "2",
        allow_negative_numbers = true
    )]
    c: Positive,
}

/// A number of steps.
type Steps<const LEAST: u64> = Whole<LEAST, { 1 << 48 }>;
/// A number of jobs.
type Jobs = Whole<1, MOST_JOBS>;

#[derive(Debug, PartialEq, Args)]
pub(crate) struct NaturalArgs {
    #[command(flatten)]
    pub(crate) process: ProcessArgs,
    /// Steps of each run, its warm-up included: 1 to 2^48
    #[arg(
        long,
        value_name = "K",
        default_value = "10000",
        allow_negative_numbers = true
    )]
    steps: Steps<1>,
    /// Steps that do not count for the estimates, fewer than K [default: half of K]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    warmup: Option<Steps<0>>,
    #[command(flatten)]
    replications: ReplicationsArgs,
    /// Also measure how long it takes to recover from J jobs in one queue, 1 to 2^53
    #[arg(long, value_name = "J", allow_negative_numbers = true)]
    recover: Option<Jobs>,
    /// End a run when the system load exceeds J jobs, 1 to 2^53
    #[arg(
        long,
        value_name = "J",
        default_value = "1000000000000",
        allow_negative_numbers = true
    )]
    cut: Jobs,
    /// Also print what each processor's load comes to with very many processors
    #[arg(long)]
    limit: bool,
    /// Write the system load over time to this file, as CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

/// Bytes that are kept of a run, and of each bin of its load over time, of which there are at most
/// so many.
const BYTES_PER_RUN: u64 = 48_000;
const BYTES_PER_BIN: u64 = 20;
const MOST_BINS: u64 = 1 << 13;

impl ProcessArgs {
    pub(crate) fn process(&self) -> Process {
        Process {
            processors: self.processors.size(),
            lambda: self.lambda,
            steal: self.steal,
            placement: self.generators,
            c: self.c.get(),
        }
    }

    /// Refuses a placement on more processors than there are.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.generators {
            // It fits any number of processors, and starting it takes memory for each of them.
            Placement::Zipf(_) => Ok(()),
            placement => match placement.start(self.processors.size()) {
                Ok(_) => Ok(()),
                Err(error) => Err(Failure::usage(format!("--generators: {error}"))),
            },
        }
    }
}

impl NaturalArgs {
    /// How long each run is.
    pub(crate) fn length(&self) -> RunLength {
        let steps = self.steps.get();
        RunLength {
            steps,
            warmup: self.warmup.map_or(steps / 2, Whole::get),
            cut: self.cut.get(),
        }
    }

    /// Independent runs.
    pub(crate) fn replications(&self) -> usize {
        self.replications.size()
    }

    /// The jobs to recover from.
    pub(crate) fn recover(&self) -> Option<u64> {
        self.recover.map(Whole::get)
    }

    /// Whether the limit of many processors is asked for.
    pub(crate) fn limit(&self) -> bool {
        self.limit
    }

    /// Refuses what would not fit into memory.
    pub(crate) fn check_memory(&self) -> Result<(), Failure> {
        let runs = self.replications.get();
        let at_once = runs.min(self.threads.get().get() as u64);
        let running = self.process.process().bytes_of_a_run() * at_once;
        let kept = runs * (BYTES_PER_RUN + self.steps.get().min(MOST_BINS) * BYTES_PER_BIN);
        let instead = "use fewer --processors, --replications or --threads";
        memory::check(running.saturating_add(kept), instead)
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        let RunLength { steps, warmup, .. } = self.length();
        if steps <= warmup {
            return Err(Failure::usage(format!(
                "--steps {steps} leaves nothing after --warmup {warmup}: use more steps, such as \
                 --steps {}",
                2 * warmup.max(1)
            )));
        }
        self.process.check()
    }
}
