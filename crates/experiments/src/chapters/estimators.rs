//! The estimators, tested on a process with a known answer.
//!
//! The process is a queue that serves one job per step and receives Poisson batches of mean ρ:
//! X ← max(0, X + A − 1). It is stable if and only if ρ < 1. Its mean in equilibrium is
//! ρ² / 2(1 − ρ), which follows from the first and second moments of both sides.

use filch_random::Purpose;
use filch_stats::stability::{ERROR_STABLE, ERROR_UNSTABLE, Verdict, assess};
use filch_stats::{Comparison, Confidence, Paired, batch_means, mser5, paired};
use filch_workload::Arrivals;

use super::significance::allowed_errors;
use crate::chapters::Setting;
use crate::values::{Chapter, Claim, Outcome, Table};

pub(super) const TITLE: &str = "Estimators: can the numbers be believed?";

const ARRIVALS: Purpose = Purpose::named("arrivals");

pub(super) fn write(setting: &Setting<'_>) -> Chapter {
    let size = Size {
        runs: setting.scale.pick(50, 200, 2000),
        steps: setting.scale.pick(20_000, 50_000, 200_000),
    };
    setting.expect(LOADS.len() * size.runs + size.runs + PAIRS);
    let (mut claims, verdicts) = verdicts(setting, size);
    claims.push(coverage(setting, size));
    claims.push(pairing(setting, size));
    Chapter {
        id: "estimators",
        title: TITLE,
        text: format!(
            "The estimates in this report come with a confidence interval or a stability verdict. \
             This chapter tests both on a queue with known stability and known mean: it serves \
             one job per step and receives Poisson batches of mean ρ. {} runs of {} steps each.",
            size.runs, size.steps
        ),
        measured: false,
        claims,
        tables: vec![verdicts],
        plots: Vec::new(),
    }
}

#[derive(Clone, Copy)]
struct Size {
    runs: usize,
    steps: usize,
}

const LOADS: [f64; 4] = [0.5, 0.95, 1.0, 1.05];
const PAIRS: usize = 20;

/// The server serves in every step.
const EVERY_STEP: usize = usize::MAX;

/// The length of the queue over time if the server pauses in every `rest`-th step. Two servers in
/// the same replication see the same arrivals.
fn queue(
    setting: &Setting<'_>,
    load: f64,
    rest: usize,
    steps: usize,
    replication: u64,
) -> Vec<f64> {
    let mut rng = setting.seed.stream(ARRIVALS, replication, 0);
    let arrivals = Arrivals::poisson(load).expect("a finite mean");
    let mut batches = arrivals.start().expect("no file is read");
    let mut length = 0;
    let mut step = |number: usize| {
        let served = u32::from(!number.is_multiple_of(rest));
        length = (length + batches.next_batch(&mut rng)).saturating_sub(served);
        f64::from(length)
    };
    (1..=steps).map(&mut step).collect()
}

fn verdicts(setting: &Setting<'_>, size: Size) -> (Vec<Claim>, Table) {
    let verdicts = LOADS.map(|load| {
        setting.runs(size.runs, |replication| {
            let trajectory = queue(setting, load, EVERY_STEP, size.steps, replication);
            assess(&trajectory)
                .expect("a long trajectory of finite loads")
                .verdict
        })
    });
    let count = |at: usize, verdict| {
        verdicts[at]
            .iter()
            .filter(|&&given| given == verdict)
            .count() as u64
    };
    let error = |claim: &str, at: [usize; 2], verdict, rate| {
        let errors = at.map(|at| count(at, verdict));
        let allowed = allowed_errors(size.runs as u64, rate);
        Claim {
            claim: format!("{claim} at most {}% of the time", 100.0 * rate),
            stated: "filch, stability verdict",
            checked: format!(
                "loads {} and {}, {} runs each",
                LOADS[at[0]], LOADS[at[1]], size.runs
            ),
            found: format!(
                "{} and {} errors (at most {allowed} allowed)",
                errors[0], errors[1]
            ),
            measured: Some(errors[0].max(errors[1]) as f64),
            bound: Some(allowed as f64),
            outcome: Outcome::of(errors.iter().all(|&errors| errors <= allowed)),
        }
    };
    let claims = vec![
        error(
            "a stable queue is called unstable",
            [0, 1],
            Verdict::Unstable,
            ERROR_UNSTABLE,
        ),
        error(
            "an unstable queue is called stable",
            [2, 3],
            Verdict::Stable,
            ERROR_STABLE,
        ),
    ];
    let row = |at: usize| {
        let counts = Verdict::ALL.map(|verdict| count(at, verdict).into());
        std::iter::once(LOADS[at].into()).chain(counts).collect()
    };
    let table = Table {
        title: format!("Verdicts over {} runs", size.runs),
        columns: std::iter::once("load")
            .chain(Verdict::ALL.map(Verdict::name))
            .collect(),
        rows: (0..LOADS.len()).map(row).collect(),
    };
    (claims, table)
}

/// Coverage of MSER-5 and batch means together: how often the 95 % interval contains the exact
/// mean.
fn coverage(setting: &Setting<'_>, size: Size) -> Claim {
    const LOAD: f64 = 0.5;
    let exact = LOAD * LOAD / (2.0 * (1.0 - LOAD));
    let missed = setting
        .runs(size.runs, |replication| {
            let trajectory = queue(setting, LOAD, EVERY_STEP, size.steps, replication);
            let warm_up = mser5(&trajectory).expect("a long trajectory");
            let mean = batch_means(warm_up.rest(&trajectory), Confidence::NINETY_FIVE);
            !mean
                .expect("a long trajectory")
                .estimate
                .interval()
                .contains(exact)
        })
        .into_iter()
        .filter(|&missed| missed)
        .count();
    let allowed = allowed_errors(size.runs as u64, 0.05);
    Claim {
        claim: "a 95 % interval contains the true mean in at least 95 % of runs".to_owned(),
        stated: "filch, MSER-5 and batch means",
        checked: format!("load {LOAD}, exact mean {exact}, {} runs", size.runs),
        found: format!("{missed} missed it (at most {allowed} allowed)"),
        measured: Some(missed as f64),
        bound: Some(allowed as f64),
        outcome: Outcome::of(missed as u64 <= allowed),
    }
}

/// Two servers that hardly differ, on common random numbers: the paired difference is significant
/// where as many independent runs would not show it.
fn pairing(setting: &Setting<'_>, size: Size) -> Claim {
    const LOAD: f64 = 0.8;
    const REST: usize = 500;
    /// The least factor by which pairing must reduce the variance.
    const REDUCTION: f64 = 2.0;
    let means = setting.runs(PAIRS, |replication| {
        [EVERY_STEP, REST].map(|rest| {
            let trajectory = queue(setting, LOAD, rest, size.steps, replication);
            trajectory.iter().sum::<f64>() / trajectory.len() as f64
        })
    });
    let series = |at: usize| means.iter().map(|pair| pair[at]).collect::<Vec<_>>();
    let paired = paired(&series(0), &series(1), Confidence::NINETY_FIVE).expect("equal lengths");
    let Paired {
        difference,
        comparison,
        ..
    } = paired;
    let reduction = paired.variance_reduction.unwrap_or(f64::INFINITY);
    Claim {
        claim: "common random numbers show a difference that independent runs would hide"
            .to_owned(),
        stated: "filch, paired comparison",
        checked: format!("load {LOAD}, a server that pauses every {REST} steps, {PAIRS} runs"),
        found: format!(
            "difference {:.4} ± {:.4}, {comparison}; variance {reduction:.0} times smaller",
            difference.mean, difference.half_width,
        ),
        measured: Some(reduction),
        bound: Some(REDUCTION),
        outcome: Outcome::of(comparison == Comparison::FirstSmaller && reduction > REDUCTION),
    }
}
