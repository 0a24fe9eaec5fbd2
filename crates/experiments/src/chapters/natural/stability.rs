//! Processes that are stable by Theorem 10, and processes that are unstable by Theorem 22.

use filch_theory::natural::theorem22;

use super::theorems::{mean, nothing_left, tail, theorem10, theorem22_holds};
use crate::chapters::{Scale, Setting};
use crate::natural::{Effort, Process, Settled};
use crate::values::{Axis, Cell, Claim, Origin, Plot, Point, Series, Table};

pub(super) struct StabilityPlan {
    stable: Vec<Process>,
    unstable: Vec<Process>,
    effort: Effort,
}

impl StabilityPlan {
    pub(super) fn of(scale: Scale) -> Self {
        let sizes: &[usize] = scale.pick(&[16], &[16, 128], &[16, 128, 1024, 8192]);
        let rates: &[f64] = scale.pick(&[0.5], &[0.5, 0.9], &[0.5, 0.9, 0.99]);
        let (mut stable, mut unstable) = (Vec::new(), Vec::new());
        for &n in sizes {
            for &lambda in rates {
                for placement in ["each", "one", "k:4", "uniform", "rotate", "zipf:1"] {
                    stable.push(Process::named(n, lambda, "half", placement));
                    stable.push(Process::named(n, lambda, "fraction:3", placement));
                }
                for hosts in [1, 4] {
                    // The largest constant that is unstable by the theorem.
                    let line = theorem22::line(n as u64, lambda, hosts);
                    let steal = format!("const:{}", line.saturating_sub(1));
                    unstable.push(Process::named(n, lambda, &steal, &format!("k:{hosts}")));
                }
            }
        }
        Self {
            stable,
            unstable,
            effort: Effort {
                replications: scale.pick(2, 4, 8),
                most: scale.pick(1_000_000, 20_000_000, 2_000_000_000),
            },
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.stable.len() + self.unstable.len()
    }
}

/// The cells of the other chapters have lower numbers.
const FIRST_CELL: u64 = 1 << 31;

pub(super) fn write(setting: &Setting<'_>, plan: &StabilityPlan) -> (Vec<Claim>, Table, Plot) {
    let all: Vec<Process> = plan.stable.iter().chain(&plan.unstable).copied().collect();
    let settled = setting.runs(all.len(), |cell| {
        Settled::find(
            &all[cell as usize],
            plan.effort,
            setting.seed,
            FIRST_CELL + cell,
        )
    });
    let (stable, unstable) = settled.split_at(plan.stable.len());
    let claims = vec![
        theorem10(stable),
        mean(&plan.stable, stable),
        tail(&plan.stable, stable),
        theorem22_holds(&plan.unstable, unstable),
        nothing_left(&plan.stable, stable),
    ];
    let table = Table {
        title: "Verdicts and loads".to_owned(),
        columns: vec![
            "generators",
            "steal",
            "n",
            "λ",
            "verdict",
            "mean load",
            "± 95 %",
            "requests per step",
            "steals per step",
            "jobs moved per step",
        ],
        rows: all
            .iter()
            .zip(&settled)
            .map(|(process, settled)| row(process, settled))
            .collect(),
    };
    (claims, table, plot(&plan.stable, stable))
}

/// The placement of the generators affects the mean load, but not stability.
fn plot(processes: &[Process], settled: &[Settled]) -> Plot {
    let mut series: Vec<Series> = Vec::new();
    for (process, settled) in processes.iter().zip(settled) {
        let Some(mean) = settled.mean() else { continue };
        let n = process.processors as f64;
        let point = Point {
            x: n,
            y: mean / n,
            interval: settled
                .conclusion
                .ci95()
                .map(|ends| ends.map(|end| end / n)),
        };
        let name = format!(
            "{}, {}, λ = {}",
            process.placement, process.steal, process.lambda
        );
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name,
                origin: Origin::Simulated,
                points: vec![point],
            }),
        }
    }
    Plot {
        id: "natural-placements".to_owned(),
        title: "Mean load of a processor, by placement of the generators".to_owned(),
        x: Axis {
            label: "processors n",
            logarithmic: true,
        },
        y: Axis {
            label: "mean load, jobs",
            logarithmic: true,
        },
        series,
        command: "filch natural --processors N --lambda L --steal F --generators G".to_owned(),
    }
}

fn row(process: &Process, settled: &Settled) -> Vec<Cell> {
    let real = |value: Option<f64>| value.map_or(Cell::Text("–".to_owned()), Cell::Real);
    let conclusion = &settled.conclusion;
    let interval = conclusion.interval.filter(|_| settled.mean().is_some());
    vec![
        process.placement.to_string().into(),
        process.steal.to_string().into(),
        (process.processors as u64).into(),
        process.lambda.get().into(),
        conclusion.verdict.to_string().into(),
        real(settled.mean()),
        real(interval.map(|interval| interval.half_width)),
        real(conclusion.requests),
        real(conclusion.steals),
        real(conclusion.moved),
    ]
}
