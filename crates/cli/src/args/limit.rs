//! The arguments of `filch limit`: a model each.

use clap::{Args, Subcommand};
use filch_policy::steal::StealFunction;

use super::values::{self, Fraction, Positive, Whole};

/// Which limit to print.
#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum LimitModel {
    /// The natural work-stealing process (BFG03) with generators uniform
    Natural(LimitNaturalArgs),
    /// Work stealing in continuous time (Mitzenmacher 2001)
    Stealing(LimitStealingArgs),
    /// The supermarket model: each job joins the shortest of D random queues
    Supermarket(LimitSupermarketArgs),
}

/// What every model takes.
#[derive(Clone, Copy, Debug, PartialEq, Args)]
pub(crate) struct LimitArgs {
    /// Jobs that arrive for each processor in a unit of time, between 0 and 1
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub(crate) lambda: Fraction,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct LimitNaturalArgs {
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
    /// How many of its jobs an asked processor gives away: a steal function ('filch policies' says
    /// what each means)
    #[arg(long, value_name = "F", default_value = "half", value_parser = values::steal_function())]
    pub(crate) steal: StealFunction,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct LimitStealingArgs {
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
    /// How many of its jobs a victim gives away: a steal function ('filch policies' says what each
    /// means)
    #[arg(long, value_name = "F", default_value = "one", value_parser = values::steal_function())]
    pub(crate) steal: StealFunction,
    /// Victims with fewer jobs give nothing, 2 to 2^53
    #[arg(
        long,
        value_name = "T",
        default_value = "2",
        allow_negative_numbers = true
    )]
    pub(crate) threshold: Whole<2, { values::MOST_JOBS }>,
    /// At how many victims a thief looks, to steal from the most loaded: 1 to 100
    #[arg(
        long,
        value_name = "A",
        default_value = "1",
        allow_negative_numbers = true
    )]
    pub(crate) attempts: Whole<1, 100>,
    /// How often an empty processor tries again in a mean service time: above 0, up to 1e12
    /// [default: never]
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) retries: Option<Positive>,
}

#[derive(Debug, PartialEq, Args)]
pub(crate) struct LimitSupermarketArgs {
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
    /// At how many random queues a job looks, 1 to 100
    #[arg(
        long,
        value_name = "D",
        default_value = "2",
        allow_negative_numbers = true
    )]
    pub(crate) choices: Whole<1, 100>,
    /// And at one that is remembered: the shortest that the job before saw (jsq:D:1)
    #[arg(long)]
    pub(crate) memory: bool,
}
