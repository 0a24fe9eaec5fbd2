//! What the grid says of time, stacks and space.

use filch_sim::machine::Rule;
use filch_theory::machine::stealing_time;

use super::grid::{RuleGrid, RuleRuns};
use super::programs::SimulatedProgram;
use super::{EXTRA, HAND_OVER, HELP_ANY, LEAPFROG, OWN};
use crate::values::{Claim, Outcome};

const STATED: &str = "docs/waiting.md";

/// A hand-over may cost this much more time than running anything at all: two wake-ups and the
/// patience, beside tasks that are long enough to wait for.
const DEARER: f64 = 1.05;

/// What leapfrogging alone costs at least, on items and many processors.
const STRANDED: f64 = 1.1;

/// ABP01's constant.
const CONSTANT: f64 = 64.0;

pub(super) fn of(grid: &RuleGrid) -> Vec<Claim> {
    vec![
        stacks(grid),
        live(grid),
        constant(grid),
        as_fast(grid),
        leapfrog(grid),
        help_any(grid),
        workers(grid),
    ]
}

/// The largest of these values, and where it is.
fn largest(values: impl Iterator<Item = (f64, String)>) -> (f64, String) {
    values
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .expect("some runs")
}

fn place(cell: &RuleRuns) -> String {
    let name = cell.rule.name();
    format!("{name} on {}, P = {}", cell.family, cell.given.processors)
}

fn all(grid: &RuleGrid, rules: &[Rule], value: impl Fn(&RuleRuns) -> f64) -> (f64, String) {
    let cells = grid.cells.iter().filter(|cell| rules.contains(&cell.rule));
    largest(cells.map(|cell| (value(cell), place(cell))))
}

fn at_most(claim: &str, checked: &str, (measured, place): (f64, String), bound: f64) -> Claim {
    Claim {
        claim: claim.to_owned(),
        stated: STATED,
        checked: checked.to_owned(),
        found: format!("at most {measured:.3}: {place}"),
        measured: Some(measured),
        bound: Some(bound),
        outcome: Outcome::of(measured <= bound),
    }
}

fn at_least(claim: &str, checked: &str, (measured, place): (f64, String), bound: f64) -> Claim {
    Claim {
        found: format!("up to {measured:.3}: {place}"),
        outcome: Outcome::of(measured >= bound),
        ..at_most(claim, checked, (measured, place), bound)
    }
}

fn stacks(grid: &RuleGrid) -> Claim {
    let rules = [LEAPFROG, HAND_OVER, EXTRA, OWN];
    at_most(
        "No stack passes S1 if a waiting worker runs only what is below",
        "the deepest stack of all runs, as a part of S1",
        all(grid, &rules, RuleRuns::depth_part),
        1.0,
    )
}

fn live(grid: &RuleGrid) -> Claim {
    at_most(
        "The frames on all stacks together stay within S1·P if seats are passed on",
        "live frames under leapfrog and hand-over, as a part of S1·P",
        all(grid, &[LEAPFROG, HAND_OVER], RuleRuns::live_part),
        1.0,
    )
}

fn constant(grid: &RuleGrid) -> Claim {
    let constant = |cell: &RuleRuns| stealing_time::least_constant(&cell.given, cell.longest());
    at_most(
        "hand-over takes T1/P + O(Tinf)",
        "the least c with time ≤ T1/P + c·Tinf in all runs, beside the constant of ABP01",
        all(grid, &[HAND_OVER], constant),
        CONSTANT,
    )
}

fn as_fast(grid: &RuleGrid) -> Claim {
    at_most(
        "hand-over is as fast as running anything at all",
        "its mean time over that of help-any",
        all(grid, &[HAND_OVER], |cell| {
            cell.time() / grid.beside(cell, HELP_ANY).time()
        }),
        DEARER,
    )
}

fn leapfrog(grid: &RuleGrid) -> Claim {
    let cells = grid
        .of(LEAPFROG)
        .filter(|cell| cell.program == SimulatedProgram::Items);
    let slower = cells.map(|cell| {
        let ratio = cell.time() / grid.beside(cell, HAND_OVER).time();
        (ratio, place(cell))
    });
    at_least(
        "Leapfrogging alone keeps processors waiting while there is work",
        "its mean time over that of hand-over, on items of a short and a long half",
        largest(slower),
        STRANDED,
    )
}

fn help_any(grid: &RuleGrid) -> Claim {
    at_least(
        "Running anything at all makes stacks deeper than S1",
        "the deepest stack under help-any, as a part of S1",
        all(grid, &[HELP_ANY], RuleRuns::depth_part),
        2.0,
    )
}

fn workers(grid: &RuleGrid) -> Claim {
    let part = |cell: &RuleRuns| {
        cell.stacks(|stacks| stacks.workers) as f64 / cell.given.processors as f64
    };
    at_most(
        "Ordinary programs need hardly more than 2·P workers under hand-over",
        "workers, with and without a seat, over P",
        all(grid, &[HAND_OVER], part),
        2.5,
    )
}
