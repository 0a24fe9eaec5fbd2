//! The grid in plots.

use super::RULES;
use super::grid::{RuleGrid, RuleRuns};
use super::programs::SimulatedProgram;
use crate::values::{Axis, Origin, Plot, Point, Series};

const PROCESSORS: Axis = Axis {
    label: "processors P",
    logarithmic: true,
};

pub(super) fn plots(grid: &RuleGrid) -> Vec<Plot> {
    vec![
        Plot {
            id: "waiting-time".to_owned(),
            title: "Time over max(T1/P, Tinf) under each rule".to_owned(),
            x: PROCESSORS,
            y: Axis {
                label: "time over max(T1/P, Tinf)",
                logarithmic: false,
            },
            series: series(grid, RuleRuns::over_ideal),
            command: command(grid, "hand-over"),
        },
        Plot {
            id: "waiting-stacks".to_owned(),
            title: "The deepest stack under each rule".to_owned(),
            x: PROCESSORS,
            y: Axis {
                label: "deepest stack over S1",
                logarithmic: true,
            },
            series: series(grid, RuleRuns::depth_part),
            command: command(grid, "help-any"),
        },
        Plot {
            id: "waiting-live".to_owned(),
            title: "Live frames under each rule".to_owned(),
            x: PROCESSORS,
            y: Axis {
                label: "live frames over S1·P",
                logarithmic: true,
            },
            series: series(grid, RuleRuns::live_part),
            command: command(grid, "hand-over-own"),
        },
    ]
}

/// A curve over P for each program and rule.
fn series(grid: &RuleGrid, value: impl Fn(&RuleRuns) -> f64) -> Vec<Series> {
    let curve = |program, rule: filch_sim::machine::Rule| {
        let cells = grid.of(rule).filter(|cell| cell.program == program);
        let points = cells.map(|cell| Point {
            x: cell.given.processors as f64,
            y: value(cell),
            interval: None,
        });
        Series {
            name: format!("{}, {}", program.name(), rule.name()),
            origin: Origin::Simulated,
            points: points.collect(),
        }
    };
    let curve = &curve;
    SimulatedProgram::ALL
        .into_iter()
        .flat_map(|program| RULES.map(|rule| curve(program, rule)))
        .collect()
}

/// What to type for one of the points.
fn command(grid: &RuleGrid, rule: &str) -> String {
    let cell = &grid.cells[0];
    format!(
        "filch dag run --family {} --scheduler {rule} --processors {}",
        cell.family, cell.given.processors
    )
}
