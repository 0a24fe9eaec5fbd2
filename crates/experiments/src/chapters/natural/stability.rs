//! Theorems 10, 12 and 22.

use filch_stats::most_errors;
use filch_stats::stability::Verdict;
use filch_theory::natural::{Constants, lemma2, theorem12, theorem22};
use filch_workload::{Placement, Probability};

use crate::chapters::{Scale, Setting};
use crate::natural::{Effort, Process, Settled};
use crate::values::{Axis, Cell, Claim, Origin, Plot, Point, Series, Table};

/// More errors than this happen to honest verdicts once in ten thousand reports.
const ACCUSE: f64 = 1e-4;
/// Up to three looks at 1 % each.
const ERROR: f64 = 0.03;
const C: f64 = 2.0;

pub(super) struct Size {
    stable: Vec<Process>,
    unstable: Vec<Process>,
    effort: Effort,
}

impl Size {
    pub(super) fn of(scale: Scale) -> Self {
        let sizes: &[usize] = scale.pick(&[16], &[16, 128], &[16, 128, 1024, 8192]);
        let rates: &[f64] = scale.pick(&[0.5], &[0.5, 0.9], &[0.5, 0.9, 0.99]);
        let (mut stable, mut unstable) = (Vec::new(), Vec::new());
        for &n in sizes {
            for &lambda in rates {
                for placement in ["each", "one", "k:4", "uniform", "rotate", "zipf:1"] {
                    stable.push(process(n, lambda, "half", placement));
                    stable.push(process(n, lambda, "fraction:3", placement));
                }
                for hosts in [1, 4] {
                    // The largest constant that the theorem rules out.
                    let line = theorem22::line(n as u64, lambda, hosts);
                    let steal = format!("const:{}", line.saturating_sub(1));
                    unstable.push(process(n, lambda, &steal, &format!("k:{hosts}")));
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

fn process(processors: usize, lambda: f64, steal: &str, placement: &str) -> Process {
    Process {
        processors,
        lambda: Probability::new(lambda).expect("a probability"),
        steal: steal.parse().expect("a steal function"),
        placement: placement.parse().expect("a placement"),
        c: C,
    }
}

/// Other chapters number their streams below this.
const FIRST_CELL: u64 = 1 << 31;

pub(super) fn write(setting: &Setting<'_>, size: &Size) -> (Vec<Claim>, Table, Plot) {
    let all: Vec<Process> = size.stable.iter().chain(&size.unstable).copied().collect();
    let settled = setting.runs(all.len(), |cell| {
        Settled::find(
            &all[cell as usize],
            size.effort,
            setting.seed,
            FIRST_CELL + cell,
        )
    });
    let (stable, unstable) = settled.split_at(size.stable.len());
    let claims = vec![
        theorem10(stable),
        mean(&size.stable, stable),
        tail(&size.stable, stable),
        theorem22_holds(&size.unstable, unstable),
        nothing_left(&size.stable, stable),
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
            "requests a step",
            "steals a step",
            "jobs moved a step",
        ],
        rows: all
            .iter()
            .zip(&settled)
            .map(|(process, settled)| row(process, settled))
            .collect(),
    };
    (claims, table, plot(&size.stable, stable))
}

/// Where generators sit decides how much waits, and never whether it stays bounded.
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
        title: "The mean load of a processor, by where the generators sit".to_owned(),
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

fn count(settled: &[Settled], verdict: Verdict) -> usize {
    let given = |settled: &&Settled| settled.conclusion.verdict == verdict;
    settled.iter().filter(given).count()
}

fn theorem10(settled: &[Settled]) -> Claim {
    let unstable = count(settled, Verdict::Unstable);
    let allowed = most_errors(settled.len() as u64, ERROR, ACCUSE);
    Claim {
        claim: "with half and fraction:3 the process is stable at every λ < 1, wherever the generators sit".to_owned(),
        stated: "BFG03, Theorem 10; BFG01, Theorem 1",
        checked: format!("{} processes on up to thousands of processors", settled.len()),
        found: format!(
            "{} stable, {} undecided, {unstable} unstable (more than {allowed} accuses)",
            count(settled, Verdict::Stable),
            count(settled, Verdict::Undecided)
        ),
        measured: Some(unstable as f64),
        bound: Some(allowed as f64),
        holds: unstable as u64 <= allowed && count(settled, Verdict::Stable) > 0,
    }
}

/// The bounds of Theorem 12 for a process, where n is large enough for them to be defined.
fn bounds(process: &Process) -> Option<theorem12::Bounds> {
    let constants = Constants::new(process.processors as u64, process.lambda.get(), C).ok()?;
    let phi = lemma2::bound(&constants, &process.steal).ok()?;
    Some(theorem12::Bounds::new(&constants, &phi))
}

fn mean(processes: &[Process], settled: &[Settled]) -> Claim {
    let ratios: Vec<f64> = processes
        .iter()
        .zip(settled)
        .filter_map(|(process, settled)| {
            let bound = bounds(process)?.mean.log10()?;
            Some(settled.mean()?.max(1.0).log10() - bound)
        })
        .collect();
    let worst = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Claim {
        claim:
            "the mean load is at most Φ_f + 2nT/ε + nT (in BFG01: Φ_f + 2n²T/ε + nT, which is more)"
                .to_owned(),
        stated: "BFG03, Theorem 12; BFG01, Theorem 2",
        checked: format!("{} settled processes", ratios.len()),
        found: format!("lg₁₀ of mean over bound is at most {worst:.1}"),
        measured: Some(worst),
        bound: Some(0.0),
        holds: worst < 0.0,
    }
}

fn tail(processes: &[Process], settled: &[Settled]) -> Claim {
    let mut beyond = 0;
    let mut tried = 0;
    for (process, settled) in processes.iter().zip(settled) {
        let (Some(bounds), Some(_)) = (bounds(process), settled.mean()) else {
            continue;
        };
        tried += 1;
        let largest = settled.conclusion.loads.quantile(1.0).unwrap_or(0);
        let least = bounds.tail(0).load;
        beyond +=
            usize::from((largest as f64).max(1.0).log10() > least.log10().unwrap_or(f64::INFINITY));
    }
    Claim {
        claim: "the load exceeds Φ_f + 2nTm + nT with probability (1 + ε)^−(m + 1) at most"
            .to_owned(),
        stated: "BFG03, Theorem 12; BFG01, Theorem 2",
        checked: format!("{tried} settled processes, m = 0, where the probability may be near 1"),
        found: format!("{beyond} of them ever exceeded it"),
        measured: Some(beyond as f64),
        bound: Some(0.0),
        holds: beyond == 0 && tried > 0,
    }
}

fn theorem22_holds(processes: &[Process], settled: &[Settled]) -> Claim {
    let stable = count(settled, Verdict::Stable);
    let unstable = count(settled, Verdict::Unstable);
    let allowed = most_errors(settled.len() as u64, ERROR, ACCUSE);
    let closest = processes.iter().map(|process| process.processors).max();
    Claim {
        claim: "on k hosts, stealing at most j jobs at once is unstable if k(j + 1) < λn"
            .to_owned(),
        stated: "BFG03, Theorem 22; BFG01, Theorem 9",
        checked: format!(
            "the largest such j, {} processes on up to {} processors",
            settled.len(),
            closest.unwrap_or(0)
        ),
        found: format!(
            "{unstable} unstable, {} undecided, {stable} stable (more than {allowed} accuses)",
            count(settled, Verdict::Undecided)
        ),
        measured: Some(stable as f64),
        bound: Some(allowed as f64),
        holds: stable as u64 <= allowed && unstable > 0,
    }
}

fn nothing_left(processes: &[Process], settled: &[Settled]) -> Claim {
    let each = processes
        .iter()
        .zip(settled)
        .filter(|(process, _)| process.placement == Placement::Each);
    let left: Vec<u64> = each
        .map(|(_, settled)| settled.conclusion.longest)
        .collect();
    let most = left.iter().copied().max().unwrap_or(u64::MAX);
    Claim {
        claim: "with one generator on each processor the system is stable even without stealing: no job waits for a second step".to_owned(),
        stated: "BFG03, section 5",
        checked: format!("{} processes with placement each", left.len()),
        found: format!("the longest queue after a step had {most} jobs"),
        measured: Some(most as f64),
        bound: Some(0.0),
        holds: most == 0,
    }
}
