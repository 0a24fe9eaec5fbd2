//! From a load in one queue that is large but below Φ_f: the drift, and the time to recover.

use filch_policy::steal::StealFunction;
use filch_sim::natural::{Generators, Natural};
use filch_stats::{Confidence, replications};
use filch_theory::natural::Constants;
use filch_workload::{Placement, Probability};

use crate::chapters::{Scale, Setting};
use crate::natural::{Process, recovery};
use crate::values::{Cell, Claim, Outcome, Table};

/// More jobs than any run processes.
const MANY: u64 = 1 << 50;
const C: f64 = 2.0;

pub(super) struct StartPlan {
    processors: Vec<usize>,
    replications: usize,
}

const RATES: [f64; 2] = [0.5, 0.9];

impl StartPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            processors: scale.pick(vec![32], vec![32, 256, 2048], vec![32, 256, 2048, 16_384]),
            replications: scale.pick(4, 10, 20),
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.cases() * self.replications
    }

    fn cases(&self) -> usize {
        self.processors.len() * RATES.len()
    }

    fn case(&self, at: usize) -> Process {
        Process {
            processors: self.processors[at / RATES.len()],
            lambda: Probability::new(RATES[at % RATES.len()]).expect("a probability"),
            steal: StealFunction::HALF,
            placement: Placement::One,
            c: C,
        }
    }
}

/// The streams of the other chapters have lower numbers.
const FIRST: u64 = 1 << 60;

struct Descent {
    process: Process,
    /// T.
    steps: u64,
    /// (Φ(X_T) − Φ(X_0)) / nT on average, with its 95 % half-width, and Lemma 19's bound on it.
    drift: f64,
    half_width: f64,
    bound: f64,
    /// Steps from [`JOBS`] jobs per processor, all in one queue, down to [`LEVEL`], if all runs got
    /// there.
    recovered: Option<f64>,
    /// The steps that it takes if no processor is ever idle.
    at_least: f64,
}

pub(super) fn write(setting: &Setting<'_>, plan: &StartPlan) -> (Vec<Claim>, Table) {
    let seen = setting.runs(plan.runs(), |run| {
        let process = plan.case(run as usize / plan.replications);
        (
            drift(setting, &process, FIRST + run),
            recover(setting, &process, FIRST + run),
        )
    });
    let descents: Vec<Descent> = (0..plan.cases())
        .map(|case| {
            let process = plan.case(case);
            let n = process.processors as f64;
            let constants = constants(&process);
            let runs = &seen[case * plan.replications..][..plan.replications];
            let values: Vec<f64> = runs.iter().map(|run| run.0).collect();
            let estimate = replications(&values, Confidence::NINETY_FIVE).expect("several runs");
            let times: Option<Vec<f64>> = runs
                .iter()
                .map(|run| run.1.map(|steps| steps as f64))
                .collect();
            Descent {
                process,
                steps: constants.steps,
                drift: estimate.mean,
                half_width: estimate.half_width,
                bound: -constants.epsilon,
                recovered: times.map(|times| times.iter().sum::<f64>() / times.len() as f64),
                at_least: (JOBS - LEVEL) as f64 * n / (n * (1.0 - process.lambda.get())),
            }
        })
        .collect();
    (vec![from_many(&descents)], table(&descents, plan))
}

/// Jobs per processor at the start, all in one queue.
const JOBS: u64 = 1000;
/// Jobs per processor at which a run has recovered.
const LEVEL: u64 = 100;

fn constants(process: &Process) -> Constants {
    Constants::new(process.processors as u64, process.lambda.get(), C).expect("enough processors")
}

/// The change of the load in T steps, divided by nT.
fn drift(setting: &Setting<'_>, process: &Process, number: u64) -> f64 {
    let n = process.processors;
    let generators = Generators::new(process.placement, n, process.lambda).expect("a host");
    let mut chain = Natural::new(n, generators, process.steal, setting.seed, number);
    chain.put(n - 1, MANY);
    let steps = constants(process).steps;
    (0..steps).for_each(|_| {
        chain.step();
    });
    (chain.load() as f64 - MANY as f64) / (n as f64 * steps as f64)
}

fn recover(setting: &Setting<'_>, process: &Process, number: u64) -> Option<u64> {
    let n = process.processors as u64;
    let start = (JOBS * n, (LEVEL * n) as f64);
    recovery(process, start, 1_000_000, setting.seed, number)
}

fn from_many(descents: &[Descent]) -> Claim {
    let worst = descents
        .iter()
        .map(|descent| descent.drift + descent.half_width - descent.bound)
        .fold(f64::NEG_INFINITY, f64::max);
    Claim {
        claim: "from 2⁵⁰ jobs in one queue, which is less than Φ_f, the expected load falls by at least \
                εnT in T steps too"
            .to_owned(),
        stated: "BFG03, Lemma 19; BFG01, Lemma 8",
        checked: format!(
            "{} processes from 2⁵⁰ jobs in one queue, T steps, c = {C}",
            descents.len()
        ),
        found: format!(
            "falls by more than that; in the closest case by {:.4} nT more (95 %)",
            -worst
        ),
        measured: Some(worst),
        bound: Some(0.0),
        outcome: Outcome::if_decided(decided(descents)),
    }
}

/// Whether the drift is at most the bound everywhere, by the ends of the 95 % intervals; none if an
/// interval contains the bound.
fn decided(descents: &[Descent]) -> Option<bool> {
    let mut all = Some(true);
    for descent in descents {
        if descent.drift - descent.half_width > descent.bound {
            return Some(false);
        }
        if descent.drift + descent.half_width > descent.bound {
            all = None;
        }
    }
    all
}

fn table(descents: &[Descent], plan: &StartPlan) -> Table {
    Table {
        title: format!(
            "Start with all load in one queue, half, generators one, {} runs: drift over T steps, \
             and steps from {JOBS} jobs per processor down to {LEVEL}",
            plan.replications
        ),
        columns: vec![
            "n",
            "λ",
            "T",
            "drift / nT",
            "± 95 %",
            "Lemma 19: at most",
            "steps to recover",
            "if no processor is idle",
        ],
        rows: descents
            .iter()
            .map(|descent| {
                vec![
                    (descent.process.processors as u64).into(),
                    descent.process.lambda.get().into(),
                    descent.steps.into(),
                    descent.drift.into(),
                    descent.half_width.into(),
                    descent.bound.into(),
                    descent
                        .recovered
                        .map_or(Cell::Text("–".to_owned()), Cell::Real),
                    descent.at_least.into(),
                ]
            })
            .collect(),
    }
}
