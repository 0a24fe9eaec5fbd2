//! The curves of Figures 1 and 2.

use filch_sim::farm::Batches;
use filch_stats::stability::Verdict;

use super::grid::{self, At, FigureGrid, MIXES, POLICIES, TIMED};
use crate::values::{Axis, Cell, Origin, Plot, Point, Series, Table};

/// The labels of the paper: u for whole (unsplit) batches, s for split ones.
fn label(policy: &str, batches: Batches) -> String {
    let name = match policy {
        "jsq:2" => "JSQ(2)".to_owned(),
        "jsq:1:1" => "JSQ(1,1)".to_owned(),
        other => other.to_uppercase(),
    };
    match batches {
        Batches::Whole => format!("u{name}"),
        Batches::Split => format!("s{name}"),
    }
}

pub(super) fn plots(grid: &FigureGrid) -> Vec<Plot> {
    let mut plots = Vec::new();
    for batches in Batches::ALL {
        for mix in 0..MIXES.len() {
            plots.push(queues(grid, mix, batches));
            plots.extend(TIMED.map(|load| completion_times(grid, grid.at(mix, load, batches))));
            plots.push(messages(grid, mix, batches));
        }
    }
    plots
}

fn id(kind: &str, mix: usize, batches: Batches) -> String {
    let (slow, fast) = MIXES[mix];
    format!("farm-{kind}-{slow}-{fast}-{batches}")
}

fn title(what: &str, mix: usize, batches: Batches) -> String {
    let figure = match batches {
        Batches::Whole => "Figure 1",
        Batches::Split => "Figure 2",
    };
    format!("PI {figure}, slow:fast {}: {what}", grid::mix(mix))
}

fn command(grid: &FigureGrid, mix: usize, batches: Batches, loads: &str) -> String {
    let (slow, fast) = MIXES[mix];
    let slots = grid.plan.slots;
    format!(
        "filch dispatch --servers slow={slow}@1,fast={fast}@10 {loads} --{batches} --slots {slots}"
    )
}

const SWEEP: &str = "--loads 0.05:0.95:0.05";

fn places(grid: &FigureGrid, mix: usize, batches: Batches) -> Vec<At> {
    grid.places(batches, 0.0..=1.0)
        .filter(|at| at.mix == mix)
        .collect()
}

fn queues(grid: &FigureGrid, mix: usize, batches: Batches) -> Plot {
    let series = POLICIES.map(|policy| Series {
        name: label(policy, batches),
        origin: Origin::Simulated,
        points: places(grid, mix, batches)
            .into_iter()
            .filter_map(|at| {
                let run = &grid.run(at, policy).estimates;
                (run.verdict != Verdict::Unstable).then(|| Point {
                    x: grid.load(at),
                    y: run.mean_queue,
                    interval: run.interval,
                })
            })
            .collect(),
    });
    Plot {
        id: id("queue", mix, batches),
        title: title("average total queue against load", mix, batches),
        x: axis("load", false),
        y: axis("average total queue, jobs", true),
        series: series.into(),
        command: command(grid, mix, batches, SWEEP),
    }
}

fn messages(grid: &FigureGrid, mix: usize, batches: Batches) -> Plot {
    let mut series: Vec<Series> = POLICIES
        .iter()
        .map(|policy| Series {
            name: label(policy, batches),
            origin: Origin::Simulated,
            points: places(grid, mix, batches)
                .into_iter()
                .map(|at| Point {
                    x: grid.load(at),
                    y: grid.run(at, policy).estimates.messages_per_slot,
                    interval: None,
                })
                .collect(),
        })
        .collect();
    if batches == Batches::Whole {
        // One message for each slot with arrivals.
        let (slow, fast) = MIXES[mix];
        let capacity = (slow + 10 * fast) as f64;
        let bound = |&load: &f64| Point {
            x: load,
            y: 1.0 - (-load * capacity).exp(),
            interval: None,
        };
        series.push(Series {
            name: "Proposition 3.1: one for each batch".to_owned(),
            origin: Origin::Theory,
            points: grid.plan.loads.iter().map(bound).collect(),
        });
    }
    Plot {
        id: id("messages", mix, batches),
        title: title("messages per slot against load", mix, batches),
        x: axis("load", false),
        y: axis("messages per slot", true),
        series,
        command: command(grid, mix, batches, SWEEP),
    }
}

/// A step of a CDF is drawn if the curve has risen by at least this much.
const STEP: f64 = 0.002;

fn completion_times(grid: &FigureGrid, at: At) -> Plot {
    let stable = |policy: &&str| grid.run(at, policy).estimates.verdict != Verdict::Unstable;
    let series = POLICIES
        .iter()
        .filter(|policy| stable(policy))
        .map(|policy| {
            let times = grid.run(at, policy).estimates.completion.as_ref();
            let mut points: Vec<Point> = Vec::new();
            for step in times.into_iter().flat_map(|times| times.cdf()) {
                let shown = points.last().map_or(0.0, |last| last.y);
                if step.fraction - shown >= STEP || step.fraction == 1.0 {
                    points.push(Point {
                        x: step.value as f64,
                        y: step.fraction,
                        interval: None,
                    });
                }
            }
            Series {
                name: label(policy, at.batches),
                origin: Origin::Simulated,
                points,
            }
        });
    let per_cent = (100.0 * grid.load(at)).round();
    let what = format!("CDF of completion times at {per_cent} % load");
    Plot {
        id: id(&format!("jct-{per_cent}"), at.mix, at.batches),
        title: title(&what, at.mix, at.batches),
        x: axis("job completion time, slots", true),
        y: axis("fraction of jobs", false),
        series: series.collect(),
        command: command(
            grid,
            at.mix,
            at.batches,
            &format!("--load {}", grid.load(at)),
        ),
    }
}

fn axis(label: &'static str, logarithmic: bool) -> Axis {
    Axis { label, logarithmic }
}

/// The loads with each verdict, for each policy.
pub(super) fn verdicts(grid: &FigureGrid) -> Table {
    let mut rows = Vec::new();
    for batches in Batches::ALL {
        for mix in 0..MIXES.len() {
            for policy in POLICIES {
                let loads = |verdict: Verdict| {
                    let places = places(grid, mix, batches).into_iter();
                    let such =
                        places.filter(|at| grid.run(*at, policy).estimates.verdict == verdict);
                    let loads: Vec<f64> = such.map(|at| grid.load(at)).collect();
                    Cell::from(match loads[..] {
                        [] => "–".to_owned(),
                        [only] => only.to_string(),
                        [first, .., last] => format!("{} between {first} and {last}", loads.len()),
                    })
                };
                let high = grid.run(grid.at(mix, 0.99, batches), policy);
                rows.push(vec![
                    label(policy, batches).into(),
                    grid::mix(mix).into(),
                    loads(Verdict::Stable),
                    loads(Verdict::Undecided),
                    loads(Verdict::Unstable),
                    high.estimates.mean_queue.into(),
                    high.estimates.messages_per_slot.into(),
                ]);
            }
        }
    }
    Table {
        title: "Verdicts by load, and the runs at 99 %".to_owned(),
        columns: vec![
            "policy",
            "slow:fast",
            "stable",
            "undecided",
            "unstable",
            "queue at 99 %",
            "messages at 99 %",
        ],
        rows,
    }
}
