//! Time, space, attempts and communication over the whole grid, held against the theorems.

use filch_sim::machine::{Outcome, Scheduler};
use filch_theory::machine::{
    Hypotheses, communication, greedy, linear_space, lower, steal_attempts, stealing_time,
};
use num_bigint::BigUint;

use super::grid::{Cell, Grid};
use crate::values::Claim;

/// What the unnamed constants of BL99 are held against: the one that ABP01's proof gives.
const YARDSTICK: f64 = 64.0;

/// P this many times below the parallelism is "much parallelism".
const MUCH: f64 = 10.0;

pub(super) fn greedy_and_busy_leaves(grid: &Grid) -> Vec<Claim> {
    let pools = || {
        grid.of(Scheduler::Greedy)
            .chain(grid.of(Scheduler::BusyLeaves))
    };
    let least = all(grid).map(|(cell, outcome)| outcome.time as f64 / lower::time(&cell.given));
    let least = least.fold(f64::INFINITY, f64::min);
    let twice = largest(pools(), |given, run| run.time as f64 / lower::time(given));
    vec![
        Claim {
            claim: "no schedule takes less than T1/P or less than Tinf".to_owned(),
            stated: "BL99, section 2",
            checked: grid.described("all four schedulers", runs(grid)),
            found: format!("time at least {least:.4} times max(T1/P, Tinf)"),
            measured: Some(least),
            bound: Some(1.0),
            holds: least >= 1.0,
        },
        one_processor(grid),
        time_bound(
            grid,
            "any greedy schedule takes at most T1/P + Tinf",
            "BL99, Theorem 1",
            Scheduler::Greedy,
        ),
        Claim {
            claim: "that is within a factor of 2 of optimal".to_owned(),
            stated: "BL99, section 2",
            checked: grid.described("greedy and busy-leaves", 1),
            found: format!("at most {twice:.3} times max(T1/P, Tinf)"),
            measured: Some(twice),
            bound: Some(2.0),
            holds: twice <= 2.0,
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

pub(super) fn stealing(grid: &Grid) -> Vec<Claim> {
    let cells = || grid.of(Scheduler::Stealing);
    let checked = grid.described("stealing", runs(grid));
    let wrong = all(grid).filter(|(cell, outcome)| outcome.work != cell.given.work);
    let wrong = wrong.count();
    let constant = largest(cells(), |given, run| {
        stealing_time::least_constant(given, run.time as f64)
    });
    let attempts = cells().map(|cell| {
        let most = cell.given.processors as f64 * cell.given.span as f64;
        cell.mean(|run| run.steal as f64) / most
    });
    let attempts = attempts.fold(0.0, f64::max);
    // Where hardly anybody asks, chance decides the ratio; the sum over all runs does not.
    let total = |value: fn(&Outcome) -> u64| -> f64 {
        let runs = cells().flat_map(|cell| &cell.outcomes);
        runs.map(|run| value(run) as f64).sum()
    };
    let waiting = total(|run| run.wait) / total(|run| run.steal);
    let sent = cells().map(|cell| {
        cell.mean(|run| run.communication as f64) / float(&communication::size(&cell.given))
    });
    let sent = sent.fold(0.0, f64::max);
    let much: Vec<&Cell> = cells()
        .filter(|cell| {
            let given = &cell.given;
            given.work as f64 / given.span as f64 >= MUCH * given.processors as f64
        })
        .collect();
    let efficiency = much.iter().map(|cell| {
        let mean = cell.mean(|run| run.time as f64);
        lower::speedup(&cell.given, mean) / cell.given.processors as f64
    });
    let efficiency = efficiency.fold(f64::INFINITY, f64::min);
    vec![
        space_bound(
            grid,
            "work stealing uses space at most S1·P",
            "BL99, Theorem 5",
            Scheduler::Stealing,
        ),
        Claim {
            claim: "exactly T1 dollars end up in the WORK bucket".to_owned(),
            stated: "BL99, Lemma 7",
            checked: grid.described("all four schedulers", runs(grid)),
            found: format!("{wrong} runs with another number"),
            measured: Some(wrong as f64),
            bound: Some(0.0),
            holds: wrong == 0,
        },
        Claim {
            claim: "processors wait for queued requests no longer than they ask: WAIT at most STEAL in \
                    the mean"
                .to_owned(),
            stated: "BL99, Lemma 6 and section 6",
            checked: checked.clone(),
            found: format!("WAIT is {waiting:.3} of STEAL over all runs"),
            measured: Some(waiting),
            bound: Some(1.0),
            holds: waiting <= 1.0,
        },
        Claim {
            claim: "the expected time is T1/P + O(Tinf)".to_owned(),
            stated: "BL99, section 6 and abstract",
            checked: checked.clone(),
            found: format!("c = {constant:.3} covers every run: time ≤ T1/P + c·Tinf"),
            measured: Some(constant),
            bound: Some(YARDSTICK),
            holds: constant <= YARDSTICK,
        },
        Claim {
            claim: "the expected number of steal attempts is O(P·Tinf)".to_owned(),
            stated: "BL99, section 6",
            checked: checked.clone(),
            found: format!("at most {attempts:.3}·P·Tinf in the mean"),
            measured: Some(attempts),
            bound: Some(YARDSTICK),
            holds: attempts <= YARDSTICK,
        },
        Claim {
            claim: "the expected communication is O(P·Tinf·(1 + nd)·Smax)".to_owned(),
            stated: "BL99, section 6 and abstract",
            checked,
            found: format!("at most {sent:.3}·P·Tinf·(1 + nd)·Smax in the mean"),
            measured: Some(sent),
            bound: Some(YARDSTICK),
            holds: sent <= YARDSTICK,
        },
        Claim {
            claim: "speedup is linear where the parallelism T1/Tinf is Ω(P)".to_owned(),
            stated: "BL99, section 2",
            checked: format!("stealing, the {} points with P at most T1/Tinf / {MUCH}", much.len()),
            found: format!("speedup at least {efficiency:.3}·P"),
            measured: Some(efficiency),
            bound: Some(0.5),
            holds: !much.is_empty() && efficiency >= 0.5,
        },
    ]
}

pub(super) fn vertex_stealing(grid: &Grid) -> Vec<Claim> {
    let cells = || grid.of(Scheduler::VertexStealing);
    let checked = grid.described("vertex-stealing", runs(grid));
    let unequal = cells()
        .flat_map(|cell| cell.outcomes.iter().map(|run| (cell.given.processors, run)))
        .filter(|(processors, run)| run.time * processors != run.work + run.steal)
        .count();
    let against = |value: fn(&Outcome) -> f64, bound: fn(&Hypotheses) -> f64| {
        let ratios = cells().map(|cell| cell.mean(value) / bound(&cell.given));
        ratios.fold(0.0, f64::max)
    };
    let attempts = against(
        |run| run.steal as f64,
        |given| float(&steal_attempts::expected_attempts(given)),
    );
    let time = against(|run| run.time as f64, steal_attempts::expected_time);
    let constant = largest(cells(), |given, run| {
        stealing_time::least_constant(given, run.time as f64)
    });
    vec![
        Claim {
            claim:
                "a round of a worker is an instruction or an attempt: P rounds of all take T1 + A"
                    .to_owned(),
            stated: "ABP01, work and steal bound",
            checked: checked.clone(),
            found: format!("{unequal} runs with P·T other than T1 + A"),
            measured: Some(unequal as f64),
            bound: Some(0.0),
            holds: unequal == 0,
        },
        Claim {
            claim:
                "the expected number of steal attempts is at most 32·Tinf phases of fewer than 2·P"
                    .to_owned(),
            stated: "ABP01, run-time bound",
            checked: checked.clone(),
            found: format!("at most {attempts:.4} of 64·P·Tinf in the mean"),
            measured: Some(attempts),
            bound: Some(1.0),
            holds: attempts <= 1.0,
        },
        Claim {
            claim: "the expected time is O(T1/P + Tinf), by the proof at most T1/P + 64·Tinf"
                .to_owned(),
            stated: "ABP01, run-time bound",
            checked,
            found: format!(
                "at most {time:.3} of that in the mean; T1/P + {constant:.3}·Tinf covers every run"
            ),
            measured: Some(time),
            bound: Some(1.0),
            holds: time <= 1.0,
        },
    ]
}

fn runs(grid: &Grid) -> usize {
    grid.cells
        .iter()
        .map(|cell| cell.outcomes.len())
        .max()
        .unwrap_or(0)
}

fn all(grid: &Grid) -> impl Iterator<Item = (&Cell, &Outcome)> {
    let runs = |cell| std::iter::repeat(cell);
    grid.cells
        .iter()
        .flat_map(move |cell| runs(cell).zip(&cell.outcomes))
}

/// The largest value of all runs.
fn largest<'a>(
    cells: impl Iterator<Item = &'a Cell>,
    value: impl Fn(&Hypotheses, &Outcome) -> f64,
) -> f64 {
    let most = cells.map(|cell| cell.max(|run| value(&cell.given, run)));
    most.fold(f64::NEG_INFINITY, f64::max)
}

pub(super) fn float(number: &BigUint) -> f64 {
    number
        .to_string()
        .parse()
        .expect("a whole number is a number")
}

/// T1 and S1 as what one processor needs.
fn one_processor(grid: &Grid) -> Claim {
    let schedulers = [Scheduler::BusyLeaves, Scheduler::Stealing];
    let alone: Vec<&Cell> = schedulers
        .into_iter()
        .flat_map(|scheduler| grid.of(scheduler))
        .filter(|cell| cell.given.processors == 1)
        .collect();
    let exact = |cell: &&&Cell| {
        let given = &cell.given;
        let mut runs = cell.outcomes.iter();
        runs.all(|run| (run.time, run.peak_space) == (given.work, given.stack_depth))
    };
    let met = alone.iter().filter(exact).count();
    Claim {
        claim: "one processor that goes to children first takes T1 steps and space S1".to_owned(),
        stated: "BL99, section 2",
        checked: "busy-leaves and stealing, P = 1, all computations of the grid".to_owned(),
        found: format!("{met} of {} points exactly", alone.len()),
        measured: Some(met as f64),
        bound: Some(alone.len() as f64),
        holds: met == alone.len(),
    }
}

fn time_bound(grid: &Grid, claim: &str, stated: &'static str, scheduler: Scheduler) -> Claim {
    let cells = || grid.of(scheduler);
    let most = largest(cells(), |given, run| run.time as f64 / greedy::time(given));
    let mut runs = cells().flat_map(|cell| cell.outcomes.iter().map(|run| (&cell.given, run)));
    Claim {
        claim: claim.to_owned(),
        stated,
        checked: grid.described(scheduler.name(), 1),
        found: format!("at most {most:.4} of T1/P + Tinf"),
        measured: Some(most),
        bound: Some(1.0),
        holds: runs.all(|(given, run)| greedy::holds(given, run.time)),
    }
}

fn space_bound(grid: &Grid, claim: &str, stated: &'static str, scheduler: Scheduler) -> Claim {
    let cells = || grid.of(scheduler);
    let most = largest(cells(), |given, run| {
        run.peak_space as f64 / float(&linear_space::space(given))
    });
    let mut runs = cells().flat_map(|cell| cell.outcomes.iter().map(|run| (&cell.given, run)));
    let times = grid
        .of(scheduler)
        .map(|cell| cell.outcomes.len())
        .max()
        .unwrap_or(0);
    Claim {
        claim: claim.to_owned(),
        stated,
        checked: grid.described(scheduler.name(), times),
        found: format!("at most {most:.4} of S1·P"),
        measured: Some(most),
        bound: Some(1.0),
        holds: runs.all(|(given, run)| BigUint::from(run.peak_space) <= linear_space::space(given)),
    }
}
