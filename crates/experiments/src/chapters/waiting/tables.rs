//! The grid in tables.

use filch_sim::machine::Rule;

use super::grid::{RuleGrid, RuleRuns};
use super::{EXTRA, HAND_OVER, HELP_ANY, LEAPFROG, OWN, RULES};
use crate::values::{Cell, Table};

pub(super) fn tables(grid: &RuleGrid) -> Vec<Table> {
    vec![times(grid), spaces(grid), workers(grid)]
}

/// A row for each program and P: what leads it, then a value for each rule.
fn rows(
    grid: &RuleGrid,
    lead: impl Fn(&RuleRuns) -> Vec<Cell>,
    value: impl Fn(&RuleRuns) -> Cell,
) -> Vec<Vec<Cell>> {
    let first = grid.of(LEAPFROG);
    let row = |cell: &RuleRuns| {
        let mut row = vec![cell.family.to_string().into(), cell.given.processors.into()];
        row.extend(lead(cell));
        row.extend(RULES.map(|rule| value(grid.beside(cell, rule))));
        row
    };
    first.map(row).collect()
}

fn columns(lead: &[&'static str]) -> Vec<&'static str> {
    let mut columns = vec!["program", "P"];
    columns.extend(lead);
    columns.extend(RULES.map(Rule::name));
    columns
}

fn times(grid: &RuleGrid) -> Table {
    Table {
        title: "Time over max(T1/P, Tinf), which no schedule beats: the mean of all runs"
            .to_owned(),
        columns: columns(&["T1/P", "Tinf"]),
        rows: rows(
            grid,
            |cell| {
                let given = &cell.given;
                let work = given.work as f64 / given.processors as f64;
                vec![work.into(), given.span.into()]
            },
            |cell| cell.over_ideal().into(),
        ),
    }
}

fn spaces(grid: &RuleGrid) -> Table {
    let mut rows = rows(grid, |_| Vec::new(), |cell| cell.live().into());
    for (row, cell) in rows.iter_mut().zip(grid.of(LEAPFROG)) {
        let any = grid.beside(cell, HELP_ANY);
        let bound = cell.given.stack_depth * cell.given.processors;
        row.insert(2, bound.into());
        row.insert(2, any.stacks(|stacks| stacks.deepest).into());
        row.insert(2, cell.given.stack_depth.into());
    }
    Table {
        title:
            "Space in frames: S1 and the deepest stack under help-any (under the other rules none \
                passes S1), S1·P and the most live frames under each rule"
                .to_owned(),
        columns: columns(&["S1", "deepest under help-any", "S1·P"]),
        rows,
    }
}

fn workers(grid: &RuleGrid) -> Table {
    let rows = grid.of(HAND_OVER).map(|cell| {
        let [extra, own] = [EXTRA, OWN].map(|rule| grid.beside(cell, rule));
        let leapfrog = grid.beside(cell, LEAPFROG);
        let count = |cell: &RuleRuns| Cell::from(cell.stacks(|stacks| stacks.workers));
        let part = |steps: u64, cell: &RuleRuns| {
            Cell::from(steps as f64 / (cell.given.processors as f64 * cell.longest()))
        };
        vec![
            cell.family.to_string().into(),
            cell.given.processors.into(),
            count(cell),
            count(extra),
            count(own),
            cell.stacks(|stacks| stacks.hand_overs).into(),
            extra.stacks(|stacks| stacks.seats).into(),
            part(leapfrog.stacks(|stacks| stacks.stranded), leapfrog),
            part(cell.stacks(|stacks| stacks.stranded), cell),
            part(own.stacks(|stacks| stacks.seatless), own),
        ]
    });
    Table {
        title:
            "Workers with and without a seat, hand-overs, seats, and the part of processor time in \
                which a seat was held in vain or a ready worker had none: the most of all runs"
                .to_owned(),
        columns: vec![
            "program",
            "P",
            "workers, hand-over",
            "workers, hand-over-extra",
            "workers, hand-over-own",
            "hand-overs",
            "seats, hand-over-extra",
            "held in vain, leapfrog",
            "held in vain, hand-over",
            "seatless, hand-over-own",
        ],
        rows: rows.collect(),
    }
}
