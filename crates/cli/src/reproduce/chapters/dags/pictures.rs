//! Tables and plots of the grid.

use filch_sim::machine::Scheduler;
use filch_theory::machine::{greedy, linear_space, lower, steal_attempts, stealing_time};

use super::bounds::float;
use super::grid::{Cell, Grid};
use crate::reproduce::chapter::{Axis, Cell as Value, Origin, Plot, Point, Series, Table};

/// Schedulers whose runs are drawn at random.
const THIEVES: [Scheduler; 2] = [Scheduler::Stealing, Scheduler::VertexStealing];

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

pub(super) fn plots(grid: &Grid) -> Vec<Plot> {
    vec![
        speedup(grid),
        time(grid),
        space(grid),
        attempts(grid),
        buckets(grid),
    ]
}

const PROCESSORS: Axis = Axis {
    label: "processors P",
    logarithmic: true,
};

/// What to type for one of the points.
fn command(grid: &Grid, computation: usize, scheduler: Scheduler) -> String {
    let processors = grid.processors[grid.processors.len() / 2];
    let runs = grid
        .row(computation, scheduler)
        .map(|cell| cell.outcomes.len())
        .max();
    format!(
        "filch dag run --family {} --scheduler {scheduler} --processors {processors} --runs {}",
        grid.computations[computation].family,
        runs.unwrap_or(1)
    )
}

fn series(
    grid: &Grid,
    computation: usize,
    scheduler: Scheduler,
    value: impl Fn(&Cell) -> Point,
) -> Series {
    Series {
        name: format!("{}, {scheduler}", grid.computations[computation].family),
        origin: Origin::Simulated,
        points: grid.row(computation, scheduler).map(value).collect(),
    }
}

fn theory(grid: &Grid, computation: usize, name: &str, value: impl Fn(&Cell) -> f64) -> Series {
    let cells = grid.row(computation, Scheduler::Greedy);
    Series {
        name: format!("{}, {name}", grid.computations[computation].family),
        origin: Origin::Theory,
        points: cells
            .map(|cell| Point {
                x: cell.given.processors as f64,
                y: value(cell),
                interval: None,
            })
            .collect(),
    }
}

fn speedup(grid: &Grid) -> Plot {
    let all = 0..grid.computations.len();
    let series = all.flat_map(|at| {
        [
            series(grid, at, Scheduler::Stealing, |cell| {
                cell.point(|run| cell.given.work as f64 / run.time as f64)
            }),
            theory(grid, at, "min(P, T1/Tinf)", |cell| {
                lower::speedup(&cell.given, lower::time(&cell.given))
            }),
        ]
    });
    Plot {
        id: "dag-speedup".to_owned(),
        title: "Speedup of work stealing, beside the most that is possible".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "speedup T1/T",
            logarithmic: true,
        },
        series: series.collect(),
        command: command(grid, 0, Scheduler::Stealing),
    }
}

fn time(grid: &Grid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for scheduler in Scheduler::ALL {
            all.push(series(grid, at, scheduler, |cell| {
                cell.point(|run| run.time as f64)
            }));
        }
        all.push(theory(grid, at, "T1/P + Tinf", |cell| {
            greedy::time(&cell.given)
        }));
        all.push(theory(grid, at, "T1/P + 64·Tinf", |cell| {
            steal_attempts::expected_time(&cell.given)
        }));
    }
    Plot {
        id: "dag-time".to_owned(),
        title: "Time, beside the bound on greedy schedules and ABP01's".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "time, steps",
            logarithmic: true,
        },
        series: all,
        command: command(grid, 0, Scheduler::VertexStealing),
    }
}

fn space(grid: &Grid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for scheduler in [
            Scheduler::Greedy,
            Scheduler::BusyLeaves,
            Scheduler::Stealing,
        ] {
            all.push(series(grid, at, scheduler, |cell| {
                cell.point(|run| run.peak_space as f64)
            }));
        }
        all.push(theory(grid, at, "S1·P", |cell| {
            float(&linear_space::space(&cell.given))
        }));
    }
    Plot {
        id: "dag-space".to_owned(),
        title: "Peak space, beside S1·P".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "space, frames",
            logarithmic: true,
        },
        series: all,
        command: command(grid, 0, Scheduler::BusyLeaves),
    }
}

fn attempts(grid: &Grid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for scheduler in THIEVES {
            all.push(series(grid, at, scheduler, |cell| {
                let unit = cell.given.processors as f64 * cell.given.span as f64;
                cell.point(|run| run.steal as f64 / unit)
            }));
        }
    }
    Plot {
        id: "dag-attempts".to_owned(),
        title: "Steal attempts for each P·Tinf; ABP01 promises fewer than 64".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "attempts / (P·Tinf)",
            logarithmic: false,
        },
        series: all,
        command: command(grid, 0, Scheduler::Stealing),
    }
}

fn buckets(grid: &Grid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for (name, bucket) in [
            (
                "WORK",
                (|run| run.work) as fn(&filch_sim::machine::Outcome) -> u64,
            ),
            ("STEAL", |run| run.steal),
            ("WAIT", |run| run.wait),
        ] {
            let mut one = series(grid, at, Scheduler::Stealing, |cell| {
                cell.point(|run| bucket(run) as f64 / run.dollars() as f64)
            });
            one.name = format!("{}, {name}", grid.computations[at].family);
            all.push(one);
        }
    }
    Plot {
        id: "dag-buckets".to_owned(),
        title: "Where the dollars go under work stealing".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "part of all dollars",
            logarithmic: false,
        },
        series: all,
        command: command(grid, 0, Scheduler::Stealing),
    }
}
