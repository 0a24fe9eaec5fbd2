//! The grid in tables.

use filch_sim::machine::Scheduler;
use filch_theory::machine::{greedy, linear_space, lower, steal_attempts, stealing_time};

use super::bounds::float;
use super::grid::{Cell, Grid};
use crate::values::{Cell as Value, Table};

pub(super) fn tables(grid: &Grid) -> Vec<Table> {
    vec![
        computations(grid),
        times(grid),
        spaces(grid),
        stealing(grid),
    ]
}

fn computations(grid: &Grid) -> Table {
    let rows = grid.computations.iter().map(|of| {
        let measures = &of.measures;
        vec![
            of.family.to_string().into(),
            measures.threads.into(),
            measures.work.into(),
            measures.span.into(),
            measures.parallelism().into(),
            measures.stack_depth.into(),
            measures.nd.into(),
        ]
    });
    Table {
        title: "Computations".to_owned(),
        columns: vec![
            "computation",
            "threads",
            "work T1",
            "span Tinf",
            "parallelism T1/Tinf",
            "stack depth S1",
            "nd",
        ],
        rows: rows.collect(),
    }
}

/// For each computation and P, one cell of each scheduler.
fn points(grid: &Grid) -> impl Iterator<Item = (String, [&Cell; 4])> {
    let count = grid.computations.len();
    (0..count).flat_map(move |computation| {
        let name = grid.computations[computation].family.to_string();
        let rows =
            Scheduler::ALL.map(|scheduler| grid.row(computation, scheduler).collect::<Vec<_>>());
        (0..grid.processors.len())
            .map(move |at| (name.clone(), [0, 1, 2, 3].map(|row| rows[row][at])))
    })
}

fn times(grid: &Grid) -> Table {
    let rows = points(grid).map(|(name, cells)| {
        let given = &cells[0].given;
        let time = |cell: &Cell| Value::from(cell.mean(|run| run.time as f64));
        let constant = |cell: &Cell| {
            Value::from(cell.max(|run| stealing_time::least_constant(given, run.time as f64)))
        };
        vec![
            name.into(),
            given.processors.into(),
            lower::time(given).into(),
            greedy::time(given).into(),
            time(cells[0]),
            time(cells[1]),
            time(cells[2]),
            constant(cells[2]),
            time(cells[3]),
            constant(cells[3]),
            steal_attempts::expected_time(given).into(),
        ]
    });
    Table {
        title: "Time: the mean over all runs beside the bounds, and the least c with time ≤ T1/P + c·Tinf \
                in all"
            .to_owned(),
        columns: vec![
            "computation",
            "P",
            "max(T1/P, Tinf)",
            "T1/P + Tinf",
            "greedy",
            "busy-leaves",
            "stealing",
            "c",
            "vertex-stealing",
            "c of vertex-stealing",
            "T1/P + 64·Tinf",
        ],
        rows: rows.collect(),
    }
}

fn spaces(grid: &Grid) -> Table {
    let rows = points(grid).map(|(name, cells)| {
        let given = &cells[0].given;
        let mut row: Vec<Value> = vec![
            name.into(),
            given.processors.into(),
            float(&linear_space::space(given)).into(),
        ];
        let peak = |cell: &&Cell| Value::from(cell.max(|run| run.peak_space as f64));
        row.extend(cells.iter().map(peak));
        row
    });
    Table {
        title:
            "Peak space: the most of all runs beside S1·P, which busy-leaves and stealing promise"
                .to_owned(),
        columns: vec![
            "computation",
            "P",
            "S1·P",
            "greedy",
            "busy-leaves",
            "stealing",
            "vertex-stealing",
        ],
        rows: rows.collect(),
    }
}

fn stealing(grid: &Grid) -> Table {
    let rows = points(grid).flat_map(|(name, cells)| {
        [cells[2], cells[3]].map(|cell| {
            let given = &cell.given;
            let unit = given.processors as f64 * given.span as f64;
            let dollars = cell.mean(|run| run.dollars() as f64);
            let share = |value: f64| Value::from(value / dollars);
            vec![
                name.clone().into(),
                given.processors.into(),
                cell.scheduler.name().to_owned().into(),
                unit.into(),
                cell.mean(|run| run.steal as f64).into(),
                cell.mean(|run| run.steals as f64).into(),
                share(cell.mean(|run| run.work as f64)),
                share(cell.mean(|run| run.steal as f64)),
                share(cell.mean(|run| run.wait as f64)),
                cell.mean(|run| run.communication as f64).into(),
            ]
        })
    });
    Table {
        title: "Steal attempts beside P·Tinf, the part of all dollars in each bucket, and communication: \
                means"
            .to_owned(),
        columns: vec![
            "computation",
            "P",
            "scheduler",
            "P·Tinf",
            "attempts",
            "steals",
            "WORK",
            "STEAL",
            "WAIT",
            "communication",
        ],
        rows: rows.collect(),
    }
}
