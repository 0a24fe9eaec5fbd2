//! The arguments of `filch rivals`.

use std::str::FromStr;

use clap::Args;
use filch_experiments::natural::RunLength;
use filch_experiments::rivals::{Contender, RivalStudy};
use filch_workload::{Placement, Probability};

use super::simulation::{ReplicationsArgs, SimulationArgs, ThreadsArgs};
use super::values::{self, Whole};
use crate::failure::Failure;
use crate::memory;

#[derive(Debug, PartialEq, Args)]
pub(crate) struct RivalsArgs {
    /// The number of processors, and of generators: 2 to 10000000
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    processors: Whole<2, 10_000_000>,
    /// The probability with which a generator makes a job in a step, 0 to 1
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    lambda: Probability,
    /// Where the generators sit: a placement ('filch policies' says what each means)
    #[arg(long, value_name = "G", default_value = "one", value_parser = values::placement())]
    generators: Placement,
    /// What balances: natural:F with a steal function F, inverse, factor:F:D, two-choices
    #[arg(
        long,
        value_name = "B,B…",
        default_value = "natural:half,inverse,factor:2:1,two-choices"
    )]
    pub(crate) contenders: ContenderList,
    /// Steps of each run, of which the first half is warm-up: 2 to 2^48
    #[arg(
        long,
        value_name = "K",
        default_value = "4000",
        allow_negative_numbers = true
    )]
    steps: Whole<2, { 1 << 48 }>,
    #[command(flatten)]
    replications: ReplicationsArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

/// Contenders, separated by commas that stand in no parentheses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ContenderList(pub(crate) Vec<Contender>);

impl FromStr for ContenderList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut depth = 0i32;
        let outside = |letter: char| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            letter == ',' && depth == 0
        };
        let names = text.split(outside);
        let read: Result<_, _> = names.map(|name| name.trim().parse()).collect();
        read.map(Self)
    }
}

/// A run ends beyond so many jobs for each processor: the load does not settle.
const MOST_LOAD: u64 = 100_000;
/// Bytes that a run needs, and keeps, for each processor.
const BYTES_PER_PROCESSOR: u64 = 100;
const BYTES_KEPT: u64 = 8;

impl RivalsArgs {
    pub(crate) fn study(&self) -> RivalStudy {
        let length = RunLength::of(self.steps.get());
        RivalStudy {
            processors: self.processors.size(),
            lambda: self.lambda,
            placement: self.generators,
            length: RunLength {
                cut: self.processors.get() * MOST_LOAD,
                ..length
            },
            replications: self.replications.size(),
            seed: self.simulation.seed,
        }
    }

    /// Refuses what would not fit into memory.
    pub(crate) fn check_memory(&self) -> Result<(), Failure> {
        let runs = self.replications.get();
        let at_once = runs.min(self.threads.get().get() as u64);
        let each = BYTES_PER_PROCESSOR * at_once + BYTES_KEPT * runs;
        let instead = "use fewer --processors, --replications or --threads";
        memory::check(self.processors.get().saturating_mul(each), instead)
    }

    /// Refuses a placement or a rival that needs more processors than there are.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let processors = self.processors.size();
        if let Err(error) = self.generators.start(processors) {
            return Err(Failure::usage(format!("--generators: {error}")));
        }
        for contender in &self.contenders.0 {
            if let Contender::Rival(name) = contender {
                let started = name.start(processors);
                started.map_err(|error| Failure::usage(format!("--contenders: {error}")))?;
            }
        }
        Ok(())
    }
}
