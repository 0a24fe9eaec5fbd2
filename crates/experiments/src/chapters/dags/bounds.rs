//! Time and space of greedy and busy-leaves over the whole grid, and helpers for claims about it.

use filch_sim::machine::{MachineOutcome, Scheduler};
use filch_theory::machine::{Hypotheses, greedy, linear_space, lower};
use num_bigint::BigUint;

use super::grid::{DagGrid, RunSet};
use crate::values::{Claim, Outcome};

pub(super) fn greedy_and_busy_leaves(grid: &DagGrid) -> Vec<Claim> {
    let pools = || {
        grid.of(Scheduler::Greedy)
            .chain(grid.of(Scheduler::BusyLeaves))
    };
    let least = all(grid).map(|(set, outcome)| outcome.time as f64 / lower::time(&set.given));
    let least = least.fold(f64::INFINITY, f64::min);
    let twice = largest(pools(), |given, run| run.time as f64 / lower::time(given));
    vec![
        Claim {
            claim: "no schedule takes less than T1/P or less than Tinf".to_owned(),
            stated: "BL99, section 2",
            checked: grid.described("all five schedulers", runs(grid)),
            found: format!("the least time is {least:.4} times max(T1/P, Tinf)"),
            measured: Some(least),
            bound: Some(1.0),
            outcome: Outcome::of(least >= 1.0),
        },
        one_processor(grid),
        Claim {
            claim: "a greedy schedule is within a factor of 2 of the optimum".to_owned(),
            stated: "BL99, section 2",
            checked: grid.described("greedy and busy-leaves", 1),
            found: format!("at most {twice:.3} times max(T1/P, Tinf), which no schedule beats"),
            measured: Some(twice),
            bound: Some(2.0),
            outcome: Outcome::of(twice <= 2.0),
        },
        time_bound(
            grid,
            "busy leaves takes at most T1/P + Tinf",
            "BL99, Theorem 3",
            Scheduler::BusyLeaves,
        ),
        space_bound(
            grid,
            "busy leaves uses space at most S1·P",
            "BL99, Lemma 2 and Theorem 3",
            Scheduler::BusyLeaves,
        ),
    ]
}

/// One processor takes time T1 and space S1.
fn one_processor(grid: &DagGrid) -> Claim {
    let schedulers = [Scheduler::BusyLeaves, Scheduler::Stealing];
    let alone: Vec<&RunSet> = schedulers
        .into_iter()
        .flat_map(|scheduler| grid.of(scheduler))
        .filter(|set| set.given.processors == 1)
        .collect();
    let exact = |set: &&&RunSet| {
        let given = &set.given;
        let mut runs = set.outcomes.iter();
        runs.all(|run| (run.time, run.peak_space) == (given.work, given.stack_depth))
    };
    let met = alone.iter().filter(exact).count();
    Claim {
        claim: "one processor that executes children first takes T1 steps and space S1".to_owned(),
        stated: "BL99, section 2",
        checked: "busy-leaves and stealing, P = 1, all computations of the grid".to_owned(),
        found: format!("exactly so at {met} of {} points", alone.len()),
        measured: Some(met as f64),
        bound: Some(alone.len() as f64),
        outcome: Outcome::of(met == alone.len()),
    }
}

fn time_bound(grid: &DagGrid, claim: &str, stated: &'static str, scheduler: Scheduler) -> Claim {
    let sets = || grid.of(scheduler);
    let most = largest(sets(), |given, run| run.time as f64 / greedy::time(given));
    let mut runs = sets().flat_map(|set| set.outcomes.iter().map(|run| (&set.given, run)));
    Claim {
        claim: claim.to_owned(),
        stated,
        checked: grid.described(scheduler.name(), 1),
        found: format!("at most {most:.4} of T1/P + Tinf"),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of(runs.all(|(given, run)| greedy::holds(given, run.time))),
    }
}

pub(super) fn space_bound(
    grid: &DagGrid,
    claim: &str,
    stated: &'static str,
    scheduler: Scheduler,
) -> Claim {
    let sets = || grid.of(scheduler);
    let most = largest(sets(), |given, run| {
        run.peak_space as f64 / float(&linear_space::space(given))
    });
    let mut runs = sets().flat_map(|set| set.outcomes.iter().map(|run| (&set.given, run)));
    let times = grid
        .of(scheduler)
        .map(|set| set.outcomes.len())
        .max()
        .unwrap_or(0);
    Claim {
        claim: claim.to_owned(),
        stated,
        checked: grid.described(scheduler.name(), times),
        found: format!("at most {most:.4} of S1·P"),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of(
            runs.all(|(given, run)| BigUint::from(run.peak_space) <= linear_space::space(given)),
        ),
    }
}

pub(super) fn runs(grid: &DagGrid) -> usize {
    grid.sets
        .iter()
        .map(|set| set.outcomes.len())
        .max()
        .unwrap_or(0)
}

pub(super) fn all(grid: &DagGrid) -> impl Iterator<Item = (&RunSet, &MachineOutcome)> {
    let runs = |set| std::iter::repeat(set);
    grid.sets
        .iter()
        .flat_map(move |set| runs(set).zip(&set.outcomes))
}

/// The largest value over all runs.
pub(super) fn largest<'a>(
    sets: impl Iterator<Item = &'a RunSet>,
    value: impl Fn(&Hypotheses, &MachineOutcome) -> f64,
) -> f64 {
    let most = sets.map(|set| set.max(|run| value(&set.given, run)));
    most.fold(f64::NEG_INFINITY, f64::max)
}

pub(super) fn float(number: &BigUint) -> f64 {
    number
        .to_string()
        .parse()
        .expect("a whole number is a number")
}
