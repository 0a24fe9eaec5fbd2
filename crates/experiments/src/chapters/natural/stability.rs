//! Processes that are stable by Theorem 10, and processes that are unstable by Theorem 22.

use filch_policy::steal::Steal as _;
use filch_theory::natural::theorem22;

use super::theorems::{self, mean, nothing_left, tail, theorem22_holds};
use crate::chapters::{Scale, Setting};
use crate::natural::{Effort, Process, Settled};
use crate::values::{Axis, Cell, Claim, Origin, Plot, Point, Series, Table};

pub(super) struct StabilityPlan {
    /// `half` and `fraction:3` with placements that are distributions D.
    stable: Vec<Process>,
    /// `sqrt` and `log2`, where a run can reach the load at which they settle.
    slow: Vec<Process>,
    /// Those that it cannot.
    beyond: Vec<Process>,
    /// Placements that change by step or by an adversary who sees the queues.
    moved: Vec<Process>,
    unstable: Vec<Process>,
    effort: Effort,
}

/// The largest load, as a multiple of n, that a run is asked to reach from empty queues.
const REACH: f64 = 100.0;

/// The load at which a slow function gives λn/(1 − λ) jobs at once: about where a process settles
/// whose generators all sit on one processor (`docs/natural.md`, the saturation rule).
fn settles_at(process: &Process) -> f64 {
    let lambda = process.lambda.get();
    let jobs = lambda * process.processors as f64 / (1.0 - lambda);
    let mut load = 1u64;
    while (process.steal.jobs(load) as f64) < jobs {
        if load > 1 << 60 {
            return f64::INFINITY;
        }
        load *= 2;
    }
    load as f64
}

impl StabilityPlan {
    pub(super) fn of(scale: Scale) -> Self {
        // The larger n and λ, the longer a run has to be until it can tell.
        let sizes: &[(usize, &[f64])] = scale.pick(
            &[(16, &[0.5])],
            &[(16, &[0.5, 0.9]), (128, &[0.5, 0.9]), (1024, &[0.5])],
            &[
                (16, &[0.5, 0.9, 0.99]),
                (128, &[0.5, 0.9, 0.99]),
                (1024, &[0.5, 0.9]),
                (8192, &[0.5, 0.9]),
            ],
        );
        let mut plan = Self {
            stable: Vec::new(),
            slow: Vec::new(),
            beyond: Vec::new(),
            moved: Vec::new(),
            unstable: Vec::new(),
            effort: Effort {
                replications: scale.pick(2, 4, 8),
                most: scale.pick(1_000_000, 60_000_000, 1_000_000_000),
            },
        };
        for n in [4, 8] {
            for steal in ["sqrt", "log2"] {
                plan.slow.push(Process::named(n, 0.5, steal, "one"));
            }
        }
        for &(n, rates) in sizes {
            for &lambda in rates {
                for placement in ["each", "one", "k:4", "uniform", "roam", "zipf:1"] {
                    plan.stable
                        .push(Process::named(n, lambda, "half", placement));
                    plan.stable
                        .push(Process::named(n, lambda, "fraction:3", placement));
                }
                let placements: &[&str] = if n > 128 && scale != Scale::Full {
                    &[]
                } else {
                    &["one", "uniform", "roam"]
                };
                for &placement in placements {
                    for steal in ["sqrt", "log2"] {
                        let process = Process::named(n, lambda, steal, placement);
                        if placement == "one" && settles_at(&process) > REACH * n as f64 {
                            plan.beyond.push(process);
                        } else {
                            plan.slow.push(process);
                        }
                    }
                }
                for placement in ["rotate", "longest", "shortest"] {
                    plan.moved
                        .push(Process::named(n, lambda, "half", placement));
                }
                for hosts in [1, 4] {
                    // The largest constant that is unstable by the theorem.
                    let line = theorem22::line(n as u64, lambda, hosts);
                    let steal = format!("const:{}", line.saturating_sub(1));
                    plan.unstable
                        .push(Process::named(n, lambda, &steal, &format!("k:{hosts}")));
                }
            }
        }
        plan
    }

    fn groups(&self) -> [&[Process]; 4] {
        [&self.stable, &self.slow, &self.moved, &self.unstable]
    }

    pub(super) fn runs(&self) -> usize {
        self.groups().iter().map(|group| group.len()).sum()
    }
}

/// The cells of the other chapters have lower numbers.
const FIRST_CELL: u64 = 1 << 31;

pub(super) fn write(setting: &Setting<'_>, plan: &StabilityPlan) -> (Vec<Claim>, Table, Plot) {
    let all = plan.groups().concat();
    let settled = setting.runs(all.len(), |cell| {
        Settled::find(
            &all[cell as usize],
            plan.effort,
            setting.seed,
            FIRST_CELL + cell,
        )
    });
    let (stable, rest) = settled.split_at(plan.stable.len());
    let (slow, rest) = rest.split_at(plan.slow.len());
    let (moved, unstable) = rest.split_at(plan.moved.len());
    let beyond: Vec<String> = plan
        .beyond
        .iter()
        .map(|process| {
            let (steal, n, lambda) = (process.steal, process.processors, process.lambda);
            format!("{steal}, n = {n}, λ = {lambda}")
        })
        .collect();
    let note = if beyond.is_empty() {
        String::new()
    } else {
        format!(
            "; with all generators on one processor a run cannot tell for {}, which would have to \
             reach more than {REACH} jobs for each processor first",
            beyond.join("; ")
        )
    };
    let claims = vec![
        theorems::stable(
            "with half and fraction:3 the process is stable for every λ < 1 and every placement D",
            "BFG03, Theorem 10 and Lemma 5; BFG01, Theorem 1",
            &plan.stable,
            stable,
            "",
        ),
        theorems::stable(
            "with every f that grows without bound the process is stable: sqrt and log2",
            "BFG03, Corollary 3 and Theorem 10",
            &plan.slow,
            slow,
            &note,
        ),
        theorems::stable(
            "the process is stable whatever assigns the generators: step by step, or an adversary \
             who sees the queues",
            "BFG01, sections 1.1 and 3",
            &plan.moved,
            moved,
            ", half, placements rotate, longest and shortest",
        ),
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
