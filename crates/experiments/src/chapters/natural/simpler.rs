//! Chain Z alone: Lemmas 13 and 14.

use filch_policy::steal::StealFunction;
use filch_random::Purpose;
use filch_sim::natural::{Ended, Simpler};
use filch_theory::natural::{Constants, lemma13};
use filch_workload::Probability;

use super::coupled::{CASES, CouplingPlan, constants};
use crate::chapters::Setting;
use crate::chapters::significance::allowed_errors;
use crate::values::{Cell, Claim, Outcome, Table};

const SIMPLER: Purpose = Purpose::named("simpler");

/// Values of c. Lemma 14 fails for the smaller ones. The largest is what its proof needs at λ =
/// 0.5, where n is large enough for the proof.
const CS: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 16.0, 12_000.0];
/// A c from which on Lemma 14 is expected to hold.
const SUFFICIENT: f64 = 4.0;
/// Up to this c whole runs are made, to see Ψ too; Lemma 13 holds for every c.
const WHOLE: f64 = 4.0;

/// The most steps for which requests are counted.
const MOST_STEPS: u64 = 500;

/// How many sets of runs there are: each case with each c.
pub(super) const SETS: usize = CASES.len() * CS.len();

pub(super) fn write(setting: &Setting<'_>, plan: &CouplingPlan) -> (Vec<Claim>, Table) {
    let ended = setting.runs(SETS, |run| alone(setting, plan, run));
    let claims = vec![lemma13_holds(&ended, plan), lemma14_holds(&ended, plan)];
    let rows = ended.iter().map(|seen| {
        let (placement, lambda) = CASES[seen.case];
        vec![
            placement.to_string().into(),
            lambda.into(),
            CS[seen.c].into(),
            (seen.constants.splits).into(),
            (seen.constants.steps).into(),
            seen.split_first
                .map_or(Cell::Text("–".to_owned()), |events| {
                    (events as u64).into()
                }),
            lemma13::log10_bound(&seen.constants).into(),
            (seen.requested_in_time as u64).into(),
            Cell::Real((seen.constants.processors as f64).powi(-2)),
            Cell::Real(seen.requests),
        ]
    });
    let table = Table {
        title: format!(
            "Chain Z on {} processors, {} runs each: how often the events of Lemmas 13 and 14 \
             occur",
            plan.processors, plan.alone
        ),
        columns: vec![
            "generators",
            "λ",
            "c",
            "z",
            "T",
            "Ψ ≤ τ′",
            "log₁₀ of Lemma 13's bound",
            "τ′ ≤ T",
            "Lemma 14's bound",
            "requests in T steps / n lg n",
        ],
        rows: rows.collect(),
    };
    (claims, table)
}

/// What many runs of chain Z show.
struct SimplerRuns {
    case: usize,
    c: usize,
    constants: Constants,
    /// How often Ψ ≤ τ′, where whole runs were made.
    split_first: Option<usize>,
    requested_in_time: usize,
    /// The mean number of requests within T steps, over n lg n. Lemma 14 holds for larger c.
    requests: f64,
}

fn alone(setting: &Setting<'_>, plan: &CouplingPlan, run: u64) -> SimplerRuns {
    let (case, c) = (run as usize / CS.len(), run as usize % CS.len());
    let (placement, lambda) = CASES[case];
    let constants = constants(plan, lambda, CS[c]);
    let n = plan.processors;
    let mut seen = SimplerRuns {
        case,
        c,
        constants,
        split_first: (CS[c] <= WHOLE).then_some(0),
        requested_in_time: 0,
        requests: 0.0,
    };
    let start = || {
        let place = placement.start(n).expect("enough processors");
        let lambda = Probability::new(lambda).expect("a probability");
        let splits = u32::try_from(constants.splits).expect("c is not that large");
        Simpler::new(
            vec![0; n],
            n - 1,
            splits,
            place,
            lambda,
            StealFunction::HALF,
        )
    };
    for number in 0..plan.alone as u64 {
        let mut rng = setting.seed.stream(SIMPLER, run, number);
        let (requests, steps) = (constants.requests(), constants.steps);
        let in_time = if let Some(split_first) = &mut seen.split_first {
            // After 2T steps hardly any requests follow.
            let ended: Ended = start().run(requests, 2 * steps, &mut rng);
            *split_first += usize::from(ended.splits_before_requests());
            ended.requests_within(steps)
        } else {
            start().requests_within(requests, steps, &mut rng)
        };
        seen.requested_in_time += usize::from(in_time);
    }
    // More runs, for the number of requests within T steps, of which nearly all are made early.
    let few = (plan.alone as u64 / 10).max(1);
    let mut requests = 0;
    for number in 0..few {
        let mut rng = setting
            .seed
            .stream(SIMPLER, run, (plan.alone as u64) + number);
        let mut chain = start();
        requests += (0..constants.steps.min(MOST_STEPS))
            .map(|_| chain.step(&mut rng))
            .sum::<u64>();
    }
    let n = n as f64;
    seen.requests = requests as f64 / few as f64 / (n * n.log2());
    seen
}

fn lemma13_holds(seen: &[SimplerRuns], plan: &CouplingPlan) -> Claim {
    let whole: Vec<usize> = seen.iter().filter_map(|seen| seen.split_first).collect();
    let events: usize = whole.iter().sum();
    Claim {
        claim: "Pr(Ψ ≤ τ′) ≤ n^−α: no load is split z times before cn lg n requests are made"
            .to_owned(),
        stated: "BFG03, Lemma 13; BFG01, Lemma 3",
        checked: format!(
            "{} runs of chain Z for each of {} settings",
            plan.alone,
            whole.len()
        ),
        found: format!("it occurs {events} times"),
        measured: Some(events as f64),
        bound: Some(0.0),
        outcome: Outcome::of(events == 0),
    }
}

fn lemma14_holds(seen: &[SimplerRuns], plan: &CouplingPlan) -> Claim {
    let large = |seen: &&SimplerRuns| CS[seen.c] >= SUFFICIENT;
    let events: usize = seen
        .iter()
        .filter(large)
        .map(|seen| seen.requested_in_time)
        .sum();
    let runs = seen.iter().filter(large).count() * plan.alone;
    let small: usize = seen
        .iter()
        .filter(|seen| !large(seen))
        .map(|seen| seen.requested_in_time)
        .sum();
    let bound = (plan.processors as f64).powi(-2);
    let allowed = allowed_errors(runs as u64, bound);
    Claim {
        claim: "Pr(τ′ ≤ T) ≤ n⁻² if c is sufficiently large: fewer than cn lg n requests are made \
                in T steps"
            .to_owned(),
        stated: "BFG03, Lemma 14; BFG01, Lemma 4",
        checked: format!(
            "{runs} runs of chain Z with c = 4, 16 and 12 000, and runs with smaller c; n is too \
             small for the proof"
        ),
        found: format!(
            "it occurs {events} times (at most {allowed} allowed); with c = 0.5, 1 and 2, which \
             are not sufficiently large, {small} times"
        ),
        measured: Some(events as f64),
        bound: Some(allowed as f64),
        outcome: Outcome::of(events as u64 <= allowed),
    }
}
