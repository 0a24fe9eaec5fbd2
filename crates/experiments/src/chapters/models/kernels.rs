//! A computation on a kernel that takes processors away.

use filch_sim::machine::multiprogrammed::{Multiprogrammed, Yield};
use filch_workload::dag::Family;

use crate::chapters::{Scale, Setting};
use crate::dag::{KernelStudy, KernelSummary};
use crate::values::{Cell, Claim, Outcome, Table};

/// Kernels with the yields that are tried on them. The yield that a kernel needs comes last.
const KERNELS: [(&str, &[Yield]); 6] = [
    ("few:8", &[Yield::None]),
    ("few:2", &[Yield::None]),
    ("bursts:5:20", &[Yield::None]),
    ("rotate:4:200", &[Yield::None, Yield::Random]),
    ("rotate:1:2000", &[Yield::None, Yield::Random]),
    ("starve", &[Yield::None, Yield::Random, Yield::All]),
];

/// A chain needs the second term of the bound; the others have parallelism to hide it.
const COMPUTATIONS: [&str; 3] = ["chain:500", "fib:14", "tree:7:20"];

/// What counts as within the bound: ours, since ABP01's constant is not at hand. A larger one
/// decides nothing.
const CONSTANT: f64 = 4.0;

/// How much to run.
pub(super) struct KernelPlan {
    processes: usize,
    repetitions: usize,
    most_steps: u64,
}

struct KernelCell {
    computation: &'static str,
    summary: KernelSummary,
}

impl KernelPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            processes: 8,
            repetitions: scale.pick(2, 8, 100),
            most_steps: scale.pick(50_000, 50_000, 200_000),
        }
    }

    fn cases() -> impl Iterator<Item = (&'static str, &'static str, Yield)> {
        COMPUTATIONS.into_iter().flat_map(|computation| {
            KERNELS.into_iter().flat_map(move |(kernel, yields)| {
                yields
                    .iter()
                    .map(move |&yields| (computation, kernel, yields))
            })
        })
    }

    pub(super) fn runs(&self) -> usize {
        Self::cases().count()
    }

    pub(super) fn write(&self, setting: &Setting<'_>) -> (Vec<Claim>, Table) {
        let cases: Vec<_> = Self::cases().collect();
        let cells = setting.runs(cases.len(), |case| {
            let (name, kernel, yields) = cases[case as usize];
            let family: Family = name.parse().expect("a family");
            let study = KernelStudy {
                computation: &family.computation(),
                measures: &family.measures(),
                machine: Multiprogrammed {
                    processes: self.processes,
                    yields,
                    most_steps: self.most_steps,
                },
                kernel: kernel.parse().expect("a kernel"),
                runs: self.repetitions,
                seed: setting.seed,
            };
            let outcomes: Vec<_> = (0..self.repetitions as u64)
                .map(|run| study.outcome(run))
                .collect();
            KernelCell {
                computation: name,
                summary: study.summary(&outcomes),
            }
        });
        let claims = vec![within(&cells), stopped(&cells), not_faster(&cells)];
        (claims, self.table(&cells))
    }

    fn table(&self, cells: &[KernelCell]) -> Table {
        let real = |value: Option<f64>| value.map_or(Cell::Text("–".to_owned()), Cell::Real);
        let row = |KernelCell {
                       computation,
                       summary,
                   }: &KernelCell| {
            let applies = if summary.applies { "yes" } else { "no" };
            vec![
                (*computation).to_owned().into(),
                summary.kernel.clone().into(),
                summary.adversary.clone().into(),
                summary.yields.to_owned().into(),
                applies.to_owned().into(),
                (summary.given_up as u64).into(),
                real(summary.time),
                real(summary.average),
                real(summary.lower),
                real(summary.attempts),
                real(summary.least_constant),
            ]
        };
        Table {
            title: format!(
                "Work stealing on {} processes under kernels, {} runs each; a run is given up after \
                 {} steps",
                self.processes, self.repetitions, self.most_steps
            ),
            columns: vec![
                "computation",
                "kernel",
                "adversary",
                "yields",
                "within the hypotheses",
                "given up",
                "time",
                "P_A",
                "T1/P_A",
                "attempts",
                "least constant",
            ],
            rows: cells.iter().map(row).collect(),
        }
    }
}

fn within(cells: &[KernelCell]) -> Claim {
    let applying: Vec<&KernelSummary> = cells
        .iter()
        .map(|cell| &cell.summary)
        .filter(|summary| summary.applies)
        .collect();
    let ended = applying.iter().all(|summary| summary.given_up == 0);
    let most = applying
        .iter()
        .filter_map(|summary| summary.least_constant)
        .reduce(f64::max);
    Claim {
        claim: format!(
            "with the yield that its adversary needs, a run takes O(T1/P_A + Tinf·P/P_A) steps, here \
             with a constant of at most {CONSTANT}"
        ),
        stated: "ABP01 (abstract)",
        checked: format!("{} kernels and computations", applying.len()),
        found: most.map_or("nothing".to_owned(), |most| {
            format!("T1/P_A + {most:.3}·Tinf·P/P_A at most; all runs ended: {ended}")
        }),
        measured: most,
        bound: Some(CONSTANT),
        outcome: match most {
            _ if !ended => Outcome::DoesNotHold,
            Some(most) if most <= CONSTANT => Outcome::Holds,
            _ => Outcome::Undecided,
        },
    }
}

fn stopped(cells: &[KernelCell]) -> Claim {
    let starved: Vec<&KernelSummary> = cells
        .iter()
        .map(|cell| &cell.summary)
        .filter(|summary| summary.kernel == "starve" && summary.yields == "none")
        .collect();
    let stands = |summary: &&&KernelSummary| {
        summary.given_up == summary.runs && summary.work_given_up == Some(0)
    };
    let standing = starved.iter().filter(stands).count();
    Claim {
        claim: "without yields an adaptive kernel stops a computation for ever".to_owned(),
        stated: "ABP01; the argument is in filch_sim::machine::multiprogrammed",
        checked: format!("{} computations under starve", starved.len()),
        found: format!("{standing} of them executed no instruction"),
        measured: Some(standing as f64),
        bound: Some(starved.len() as f64),
        outcome: Outcome::if_decided((!starved.is_empty()).then_some(standing == starved.len())),
    }
}

fn not_faster(cells: &[KernelCell]) -> Claim {
    let ratios = cells.iter().filter_map(|cell| {
        let summary = &cell.summary;
        Some(summary.time? / summary.lower?)
    });
    let least = ratios.reduce(f64::min);
    Claim {
        claim: "no run is faster than T1/P_A".to_owned(),
        stated: "ABP01",
        checked: format!("{} kernels, yields and computations", cells.len()),
        found: least.map_or("nothing".to_owned(), |least| {
            format!("at least {least:.3} times as long")
        }),
        measured: least,
        bound: Some(1.0),
        outcome: Outcome::if_decided(least.map(|least| least >= 1.0 - 1e-9)),
    }
}
