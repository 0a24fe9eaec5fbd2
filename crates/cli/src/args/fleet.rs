//! The arguments of `filch fleet`.

use clap::Args;
use filch_experiments::fleet::FleetStudy;

use super::simulation::{ReplicationsArgs, SimulationArgs, ThreadsArgs};
use super::values::{self, PolicyList, Positive, Whole};
use crate::failure::Failure;
use crate::memory;

#[derive(Debug, PartialEq, Args)]
pub(crate) struct FleetArgs {
    /// The number of servers, 1 to 10000000
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    servers: Whole<1, 10_000_000>,
    /// Requests that arrive for each server in a mean service time: above 0, up to 10
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    lambda: Positive,
    /// The dispatch policies, separated by commas ('filch policies' says what each means)
    #[arg(
        long,
        value_name = "P,P…",
        default_value = "random,jsq:2,jsq:1:1",
        value_parser = values::policies()
    )]
    pub(crate) policies: PolicyList,
    /// Dispatchers, each of which sees its own requests alone: 1 to 1000
    #[arg(
        long,
        value_name = "K",
        default_value = "1",
        allow_negative_numbers = true
    )]
    dispatchers: Whole<1, 1000>,
    /// How long requests arrive, in mean service times: above 0, up to 1e12
    #[arg(
        long,
        value_name = "T",
        default_value = "200",
        allow_negative_numbers = true
    )]
    time: Positive,
    /// Requests of the first W mean service times do not count, less than T [default: half of T]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    warmup: Option<Positive>,
    #[command(flatten)]
    replications: ReplicationsArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadsArgs,
    #[command(flatten)]
    pub(crate) simulation: SimulationArgs,
}

impl FleetArgs {
    pub(crate) fn study(&self) -> FleetStudy {
        let until = self.time.get();
        FleetStudy {
            servers: self.servers.size(),
            lambda: self.lambda.get(),
            dispatchers: self.dispatchers.size(),
            until,
            warm_up: self.warmup.map_or(until / 2.0, Positive::get),
            replications: self.replications.size(),
            seed: self.simulation.seed,
        }
    }

    /// Refuses what would not fit into memory.
    pub(crate) fn check_memory(&self) -> Result<(), Failure> {
        let study = self.study();
        let at_once = study.replications.min(self.threads.get().get()) as u64;
        let instead = "use fewer --servers, --replications or --threads, or a shorter --time";
        memory::check(study.bytes_of_a_run().saturating_mul(at_once), instead)
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        let study = self.study();
        if study.lambda > FleetStudy::MOST_LAMBDA {
            return Err(Failure::usage(format!(
                "--lambda {} is more than ten times what a server can serve: use up to 10",
                study.lambda
            )));
        }
        if study.until <= study.warm_up {
            return Err(Failure::usage(format!(
                "--time {} leaves nothing after --warmup {}: use more time, such as --time {}",
                study.until,
                study.warm_up,
                2.0 * study.warm_up
            )));
        }
        Ok(())
    }
}
