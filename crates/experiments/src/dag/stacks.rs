//! What many runs did to stacks, workers and seats.

use filch_sim::machine::{MachineOutcome, Stacks};
use serde::Serialize;

/// The totals of all runs of a fork-join scheduler: means, where nothing else is said.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StacksSummary {
    /// The most space on one stack, in all runs.
    pub deepest_stack: u64,
    /// The most workers, in all runs.
    pub workers: u64,
    /// The most seats at once, in all runs.
    pub seats: u64,
    /// How often a waiting worker handed its seat to a spare one.
    pub hand_overs: f64,
    /// The steps of all seats in which a worker waited with nothing below while a task was ready
    /// elsewhere.
    pub stranded: f64,
    /// The longest such time of one seat, in all runs.
    pub longest_stranded: u64,
    /// The steps of all workers in which one was ready and had no seat.
    pub seatless: f64,
}

impl StacksSummary {
    /// Nothing, if the runs were on a machine without stacks.
    pub(super) fn of(outcomes: &[MachineOutcome]) -> Option<Self> {
        let runs = outcomes.iter().map(|outcome| outcome.stacks);
        let runs: Vec<Stacks> = runs.collect::<Option<_>>()?;
        let most = |value: fn(&Stacks) -> u64| runs.iter().map(value).max().unwrap_or(0);
        let mean = |value: fn(&Stacks) -> u64| {
            let total: u128 = runs.iter().map(|run| u128::from(value(run))).sum();
            total as f64 / runs.len() as f64
        };
        Some(Self {
            deepest_stack: most(|run| run.deepest),
            workers: most(|run| run.workers),
            seats: most(|run| run.seats),
            hand_overs: mean(|run| run.hand_overs),
            stranded: mean(|run| run.stranded),
            longest_stranded: most(|run| run.longest_stranded),
            seatless: mean(|run| run.seatless),
        })
    }
}
