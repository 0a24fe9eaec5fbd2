//! The grid as plots.

use filch_sim::machine::{MachineOutcome, Scheduler};
use filch_theory::machine::{greedy, linear_space, lower, steal_attempts};

use super::bounds::float;
use super::grid::{DagGrid, RunSet};
use crate::values::{Axis, Origin, Plot, Point, Series};

/// The schedulers that steal.
const STEALING: [Scheduler; 2] = [Scheduler::Stealing, Scheduler::VertexStealing];

pub(super) fn plots(grid: &DagGrid) -> Vec<Plot> {
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

/// A command that computes one of the points.
fn command(grid: &DagGrid, computation: usize, scheduler: Scheduler) -> String {
    let processors = grid.processors[grid.processors.len() / 2];
    let runs = grid
        .row(computation, scheduler)
        .map(|set| set.outcomes.len())
        .max();
    format!(
        "filch dag run --family {} --scheduler {scheduler} --processors {processors} --runs {}",
        grid.computations[computation].family,
        runs.unwrap_or(1)
    )
}

fn series(
    grid: &DagGrid,
    computation: usize,
    scheduler: Scheduler,
    value: impl Fn(&RunSet) -> Point,
) -> Series {
    Series {
        name: format!("{}, {scheduler}", grid.computations[computation].family),
        origin: Origin::Simulated,
        points: grid.row(computation, scheduler).map(value).collect(),
    }
}

fn theory(
    grid: &DagGrid,
    computation: usize,
    name: &str,
    value: impl Fn(&RunSet) -> f64,
) -> Series {
    let sets = grid.row(computation, Scheduler::Greedy);
    Series {
        name: format!("{}, {name}", grid.computations[computation].family),
        origin: Origin::Theory,
        points: sets
            .map(|set| Point {
                x: set.given.processors as f64,
                y: value(set),
                interval: None,
            })
            .collect(),
    }
}

fn speedup(grid: &DagGrid) -> Plot {
    let all = 0..grid.computations.len();
    let series = all.flat_map(|at| {
        [
            series(grid, at, Scheduler::Stealing, |set| {
                set.point(|run| set.given.work as f64 / run.time as f64)
            }),
            theory(grid, at, "min(P, T1/Tinf)", |set| {
                lower::speedup(&set.given, lower::time(&set.given))
            }),
        ]
    });
    Plot {
        id: "dag-speedup".to_owned(),
        title: "Speedup of work stealing, and the upper bound min(P, T1/Tinf)".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "speedup T1/T",
            logarithmic: true,
        },
        series: series.collect(),
        command: command(grid, 0, Scheduler::Stealing),
    }
}

fn time(grid: &DagGrid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for scheduler in Scheduler::ALL {
            all.push(series(grid, at, scheduler, |set| {
                set.point(|run| run.time as f64)
            }));
        }
        all.push(theory(grid, at, "T1/P + Tinf", |set| {
            greedy::time(&set.given)
        }));
        all.push(theory(grid, at, "T1/P + 64·Tinf", |set| {
            steal_attempts::expected_time(&set.given)
        }));
    }
    Plot {
        id: "dag-time".to_owned(),
        title: "Time, and the bounds for greedy schedules and of ABP01".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "time, steps",
            logarithmic: true,
        },
        series: all,
        command: command(grid, 0, Scheduler::VertexStealing),
    }
}

fn space(grid: &DagGrid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for scheduler in [
            Scheduler::Greedy,
            Scheduler::BusyLeaves,
            Scheduler::Stealing,
        ] {
            all.push(series(grid, at, scheduler, |set| {
                set.point(|run| run.peak_space as f64)
            }));
        }
        all.push(theory(grid, at, "S1·P", |set| {
            float(&linear_space::space(&set.given))
        }));
    }
    Plot {
        id: "dag-space".to_owned(),
        title: "Peak space, and the bound S1·P".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "space, frames",
            logarithmic: true,
        },
        series: all,
        command: command(grid, 0, Scheduler::BusyLeaves),
    }
}

fn attempts(grid: &DagGrid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for scheduler in STEALING {
            all.push(series(grid, at, scheduler, |set| {
                let unit = set.given.processors as f64 * set.given.span as f64;
                set.point(|run| run.steal as f64 / unit)
            }));
        }
    }
    Plot {
        id: "dag-attempts".to_owned(),
        title: "Steal attempts over P·Tinf; ABP01's bound is 64".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "attempts / (P·Tinf)",
            logarithmic: false,
        },
        series: all,
        command: command(grid, 0, Scheduler::Stealing),
    }
}

fn buckets(grid: &DagGrid) -> Plot {
    let mut all = Vec::new();
    for at in 0..grid.computations.len() {
        for (name, bucket) in [
            ("WORK", (|run| run.work) as fn(&MachineOutcome) -> u64),
            ("STEAL", |run| run.steal),
            ("WAIT", |run| run.wait),
        ] {
            let mut one = series(grid, at, Scheduler::Stealing, |set| {
                set.point(|run| bucket(run) as f64 / run.dollars() as f64)
            });
            one.name = format!("{}, {name}", grid.computations[at].family);
            all.push(one);
        }
    }
    Plot {
        id: "dag-buckets".to_owned(),
        title: "Dollars in each bucket under work stealing".to_owned(),
        x: PROCESSORS,
        y: Axis {
            label: "share of all dollars",
            logarithmic: false,
        },
        series: all,
        command: command(grid, 0, Scheduler::Stealing),
    }
}
