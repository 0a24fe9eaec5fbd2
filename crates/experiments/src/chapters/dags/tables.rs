//! The grid as tables.

use filch_sim::machine::Scheduler;
use filch_theory::machine::{greedy, linear_space, lower, steal_attempts, stealing_time};

use super::bounds::float;
use super::grid::{DagGrid, RunSet};
use crate::values::{Cell, Table};

pub(super) fn tables(grid: &DagGrid) -> Vec<Table> {
    vec![
        computations(grid),
        times(grid),
        spaces(grid),
        stealing(grid),
        super::sharing::table(grid),
    ]
}

fn computations(grid: &DagGrid) -> Table {
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

/// For each computation and P, the runs of each scheduler.
pub(super) fn points(grid: &DagGrid) -> impl Iterator<Item = (String, [&RunSet; 5])> {
    let count = grid.computations.len();
    (0..count).flat_map(move |computation| {
        let name = grid.computations[computation].family.to_string();
        let rows =
            Scheduler::ALL.map(|scheduler| grid.row(computation, scheduler).collect::<Vec<_>>());
        (0..grid.processors.len())
            .map(move |at| (name.clone(), [0, 1, 2, 3, 4].map(|row| rows[row][at])))
    })
}

fn times(grid: &DagGrid) -> Table {
    let rows = points(grid).map(|(name, sets)| {
        let given = &sets[0].given;
        let time = |set: &RunSet| Cell::from(set.mean(|run| run.time as f64));
        let constant = |set: &RunSet| {
            Cell::from(set.max(|run| stealing_time::least_constant(given, run.time as f64)))
        };
        vec![
            name.into(),
            given.processors.into(),
            lower::time(given).into(),
            greedy::time(given).into(),
            time(sets[0]),
            time(sets[1]),
            time(sets[2]),
            constant(sets[2]),
            time(sets[3]),
            constant(sets[3]),
            steal_attempts::expected_time(given).into(),
        ]
    });
    Table {
        title: "Time: the mean over all runs, the bounds, and the least c with time ≤ T1/P + \
                c·Tinf in all runs"
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

fn spaces(grid: &DagGrid) -> Table {
    let rows = points(grid).map(|(name, sets)| {
        let given = &sets[0].given;
        let mut row: Vec<Cell> = vec![
            name.into(),
            given.processors.into(),
            float(&linear_space::space(given)).into(),
        ];
        let peak = |set: &&RunSet| Cell::from(set.max(|run| run.peak_space as f64));
        row.extend(sets.iter().map(peak));
        row
    });
    Table {
        title:
            "Peak space: the largest of all runs, and S1·P, the bound for busy-leaves and stealing"
                .to_owned(),
        columns: vec![
            "computation",
            "P",
            "S1·P",
            "greedy",
            "busy-leaves",
            "stealing",
            "vertex-stealing",
            "sharing",
        ],
        rows: rows.collect(),
    }
}

fn stealing(grid: &DagGrid) -> Table {
    let rows = points(grid).flat_map(|(name, sets)| {
        [sets[2], sets[3]].map(|set| {
            let given = &set.given;
            let unit = given.processors as f64 * given.span as f64;
            let dollars = set.mean(|run| run.dollars() as f64);
            let share = |value: f64| Cell::from(value / dollars);
            vec![
                name.clone().into(),
                given.processors.into(),
                set.scheduler.name().to_owned().into(),
                unit.into(),
                set.mean(|run| run.steal as f64).into(),
                set.mean(|run| run.steals as f64).into(),
                share(set.mean(|run| run.work as f64)),
                share(set.mean(|run| run.steal as f64)),
                share(set.mean(|run| run.wait as f64)),
                set.mean(|run| run.communication as f64).into(),
            ]
        })
    });
    Table {
        title: "Steal attempts and P·Tinf, the share of all dollars in each bucket, and \
                communication: means"
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
