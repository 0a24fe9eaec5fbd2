//! How long to be patient, and how many workers to allow.

use filch_sim::machine::{Costs, Machine, Scheduler};
use filch_workload::dag::Family;

use super::HAND_OVER;
use crate::chapters::{Scale, Setting};
use crate::values::{Axis, Origin, Plot, Point, Series};

/// In steps.
const PATIENCE: [u64; 8] = [0, 2, 5, 10, 20, 50, 100, 200];

/// In eighths of P.
const WORKERS: [usize; 8] = [8, 9, 10, 11, 12, 14, 16, 24];

fn processors(scale: Scale) -> usize {
    scale.pick(8, 64, 64)
}

/// Fine forks, which want patience, and coarse ones, which do not.
fn patient(scale: Scale) -> [Family; 3] {
    let items = 25 * processors(scale);
    let fib = scale.pick("fib:14", "fib:20", "fib:22");
    [
        fib.to_owned(),
        format!("items:{items}:50:500"),
        format!("halving:{items}:50:500"),
    ]
    .map(|name| name.parse().expect("a family"))
}

fn crowded(scale: Scale) -> [Family; 3] {
    let items = 25 * processors(scale);
    [
        format!("items:{items}:50:500"),
        format!("items:{items}:450:500"),
        format!("halving:{items}:50:500"),
    ]
    .map(|name| name.parse().expect("a family"))
}

/// How many runs [`plots`] makes.
pub(super) fn runs(scale: Scale) -> usize {
    patient(scale).len() * PATIENCE.len() + crowded(scale).len() * WORKERS.len()
}

pub(super) fn plots(setting: &Setting<'_>) -> Vec<Plot> {
    let scale = setting.scale;
    let processors = processors(scale);
    let machine = Machine::new(Scheduler::ForkJoin(HAND_OVER), processors);
    let by_patience = sweep(
        setting,
        patient(scale),
        &PATIENCE.map(|patience| {
            let costs = Costs {
                patience,
                ..Costs::default()
            };
            (patience as f64, Machine { costs, ..machine })
        }),
    );
    let by_workers = sweep(
        setting,
        crowded(scale),
        &WORKERS.map(|eighths| {
            let workers = processors * eighths / 8;
            (eighths as f64 / 8.0, Machine { workers, ..machine })
        }),
    );
    let command = |family: &Family| {
        format!("filch dag run --family {family} --scheduler hand-over --processors {processors}")
    };
    vec![
        Plot {
            id: "waiting-patience".to_owned(),
            title: format!(
                "Time under hand-over by the patience of a waiting worker, P = {processors}"
            ),
            x: Axis {
                label: "patience, steps",
                logarithmic: false,
            },
            y: OVER_IDEAL,
            series: by_patience,
            command: command(&patient(scale)[0]),
        },
        Plot {
            id: "waiting-workers".to_owned(),
            title: format!(
                "Time under hand-over by the number of workers allowed, P = {processors}"
            ),
            x: Axis {
                label: "workers over P",
                logarithmic: false,
            },
            y: OVER_IDEAL,
            series: by_workers,
            command: command(&crowded(scale)[0]),
        },
    ]
}

const OVER_IDEAL: Axis = Axis {
    label: "time over max(T1/P, Tinf)",
    logarithmic: false,
};

/// A curve for each computation, over the machines.
fn sweep(setting: &Setting<'_>, families: [Family; 3], machines: &[(f64, Machine)]) -> Vec<Series> {
    let ready = families.map(|family| family.computation());
    let times = setting.runs(families.len() * machines.len(), |at| {
        let (family, machine) = (at as usize / machines.len(), at as usize % machines.len());
        machines[machine]
            .1
            .run(&ready[family], setting.seed, 0)
            .time
    });
    let curve = |(family, times): (&Family, &[u64])| {
        let measures = family.measures();
        let points = machines.iter().zip(times).map(|(&(x, machine), &time)| {
            let work = measures.work as f64 / machine.processors as f64;
            Point {
                x,
                y: time as f64 / work.max(measures.span as f64),
                interval: None,
            }
        });
        Series {
            name: family.to_string(),
            origin: Origin::Simulated,
            points: points.collect(),
        }
    };
    let curves = families.iter().zip(times.chunks(machines.len()));
    curves.map(curve).collect()
}
