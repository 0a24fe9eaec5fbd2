//! The arguments of `filch dag`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use filch_policy::steal::Victim;
use filch_sim::machine::multiprogrammed::{KernelName, Yield};
use filch_sim::machine::{Adversary, Machine, Next, Order, PopTop, Scheduler};
use filch_workload::dag::Family;

use super::simulation::{SimulationArgs, ThreadsArgs};
use super::values::{self, Whole};
use crate::failure::Failure;

/// What to do with a computation.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum DagTask {
    /// Print work, span, stack depth and the kind of a computation
    Measure(DagMeasureArgs),
    /// Run a computation on simulated processors
    Run(DagRunArgs),
    /// Run a computation on processes that a kernel schedules (multiprogrammed ABP01)
    Kernel(DagKernelArgs),
    /// Show a schedule as a table, and as a picture (SVG)
    Show(DagShowArgs),
    /// Write a computation to standard output, as a file for --file
    Export(DagExportArgs),
}

/// Where a computation comes from: exactly one of the two.
#[derive(Debug, PartialEq, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct SourceArgs {
    /// A computation with a name; words in capital letters stand for numbers
    #[arg(long, value_name = "F", value_parser = values::family())]
    pub(crate) family: Option<Family>,
    /// A computation in a file, as 'filch dag export' writes it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DagMeasureArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DagExportArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DagRunArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Independent runs, 1 to 1000000
    #[arg(
        long,
        value_name = "R",
        default_value = "1",
        allow_negative_numbers = true
    )]
    pub(crate) runs: Whole<1, 1_000_000>,
    /// Check at every step what the papers promise of every step
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DagShowArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Write a picture of the schedule to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct DagKernelArgs {
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The number of processes, 1 to 100000
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) processes: Whole<1, 100_000>,
    /// Which processes run in a step: few:K, bursts:A:B, rotate:K:L or starve
    #[arg(long, value_name = "K", default_value = "few:2")]
    pub(crate) kernel: KernelName,
    /// What a thief asks of the kernel after a failed attempt: none, random or all [default: what
    /// the kernel needs]
    #[arg(long, value_name = "Y")]
    pub(crate) yields: Option<Yield>,
    /// A run that takes more steps is given up, 1 to 2^48
    #[arg(
        long,
        value_name = "N",
        default_value = "1000000",
        allow_negative_numbers = true
    )]
    pub(crate) most_steps: Whole<1, { 1 << 48 }>,
    /// Independent runs, 1 to 1000000
    #[arg(
        long,
        value_name = "R",
        default_value = "8",
        allow_negative_numbers = true
    )]
    pub(crate) runs: Whole<1, 1_000_000>,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

/// P, the number of simulated processors of a machine.
pub(crate) type Processors = Whole<1, 100_000_000>;

/// Which machine.
#[derive(Clone, Debug, PartialEq, Args)]
pub(crate) struct MachineArgs {
    /// How threads are scheduled
    #[arg(long, value_name = "S", value_parser = values::scheduler())]
    scheduler: Scheduler,
    /// The number of processors, 1 to 100000000
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    processors: Processors,
    /// Which ready instructions come first; for the scheduler greedy only [default: oldest]
    #[arg(long, value_name = "O", value_parser = values::order())]
    order: Option<Order>,
    /// Which request is served first; for the scheduler stealing only [default: fifo]
    #[arg(long, value_name = "A", value_parser = values::adversary())]
    adversary: Option<Adversary>,
    /// Which of two ready vertices comes next; for the scheduler vertex-stealing only [default:
    /// continuation]
    #[arg(long, value_name = "V", value_parser = values::next())]
    next: Option<Next>,
    /// When a steal attempt may fail: on an empty deque alone, or by contention in a round too; for
    /// the scheduler vertex-stealing only [default: atomic]
    #[arg(long, value_name = "T", value_parser = values::pop_top())]
    pop_top: Option<PopTop>,
    /// Which processors a thief asks: all alike, or all but itself; for the schedulers stealing and
    /// vertex-stealing only [default: uniform]
    #[arg(long, value_name = "C", value_parser = values::victim())]
    victim: Option<Victim>,
}

impl MachineArgs {
    /// The machine; what was not typed is as the papers have it.
    pub(crate) fn machine(&self) -> Machine {
        let plain = Machine::new(self.scheduler, self.processors.size());
        Machine {
            order: self.order.unwrap_or(plain.order),
            adversary: self.adversary.unwrap_or(plain.adversary),
            next: self.next.unwrap_or(plain.next),
            pop_top: self.pop_top.unwrap_or(plain.pop_top),
            victim: self.victim.unwrap_or(plain.victim),
            ..plain
        }
    }

    /// Refuses what this scheduler would not look at.
    fn check(&self) -> Result<(), Failure> {
        let thieves = [Scheduler::Stealing, Scheduler::VertexStealing];
        for (argument, given, known) in [
            ("--adversary", self.adversary.is_some(), &thieves[..1]),
            ("--order", self.order.is_some(), &[Scheduler::Greedy]),
            ("--next", self.next.is_some(), &thieves[1..]),
            ("--pop-top", self.pop_top.is_some(), &thieves[1..]),
            ("--victim", self.victim.is_some(), &thieves[..]),
        ] {
            if given && !known.contains(&self.scheduler) {
                let names: Vec<_> = known.iter().map(|scheduler| scheduler.name()).collect();
                return Err(Failure::usage(format!(
                    "{argument} means nothing to --scheduler {}: leave it out, or use {}",
                    self.scheduler,
                    names.join(" or ")
                )));
            }
        }
        Ok(())
    }
}

impl DagTask {
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Run(DagRunArgs { machine, .. }) | Self::Show(DagShowArgs { machine, .. }) => {
                machine.check()
            }
            Self::Measure(_) | Self::Kernel(_) | Self::Export(_) => Ok(()),
        }
    }
}
