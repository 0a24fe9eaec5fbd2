//! Chain Z and the coupling: Lemmas 13 and 14, and the invariants of section 4.4.

use filch_policy::steal::StealFunction;
use filch_random::Purpose;
use filch_sim::natural::{Coupling, Ended, Outcome, Simpler, Stop};
use filch_theory::natural::{Constants, Function, lemma13, phi};
use filch_workload::{Placement, Probability};
use num_bigint::BigUint;

use crate::chapters::{Scale, Setting};
use crate::values::{Cell, Claim, Table};

const COUPLING: Purpose = Purpose::named("coupling");
const SIMPLER: Purpose = Purpose::named("simpler");

/// The smaller ones are too small for Lemma 14.
const CS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
/// Large enough, as far as one can see.
const SUFFICIENT: f64 = 4.0;

pub(super) struct CouplingPlan {
    processors: usize,
    coupled: usize,
    alone: usize,
}

impl CouplingPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            processors: scale.pick(32, 64, 1024),
            coupled: scale.pick(3, 20, 100),
            alone: scale.pick(50, 1000, 2000),
        }
    }

    pub(super) fn runs(&self) -> usize {
        CASES.len() * (self.coupled + CS.len())
    }
}

/// Placement and λ.
const CASES: [(Placement, f64); 3] = [
    (Placement::One, 0.5),
    (Placement::Uniform, 0.5),
    (Placement::One, 0.9),
];

pub(super) fn write(setting: &Setting<'_>, plan: &CouplingPlan) -> (Vec<Claim>, Table) {
    let outcomes = setting.runs(CASES.len() * plan.coupled, |run| couple(setting, plan, run));
    let ended = setting.runs(CASES.len() * CS.len(), |run| alone(setting, plan, run));
    let claims = vec![
        invariants(&outcomes, plan),
        lemma13_holds(&ended, plan),
        lemma14_holds(&ended, plan),
    ];
    let rows = ended.iter().map(|seen| {
        let (placement, lambda) = CASES[seen.case];
        vec![
            placement.to_string().into(),
            lambda.into(),
            CS[seen.c].into(),
            (seen.constants.splits).into(),
            (seen.constants.steps).into(),
            (seen.split_first as u64).into(),
            lemma13::log10_bound(&seen.constants).into(),
            (seen.requested_in_time as u64).into(),
            Cell::Real((seen.constants.processors as f64).powi(-2)),
            Cell::Real(seen.requests),
        ]
    });
    let table = Table {
        title: format!(
            "Chain Z on {} processors, {} runs each: how often the events of Lemmas 13 and 14 happened",
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

fn constants(plan: &CouplingPlan, lambda: f64, c: f64) -> Constants {
    Constants::new(plan.processors as u64, lambda, c).expect("enough processors")
}

/// One coupled run from Φ_f/n jobs on the last processor, with some load on the others.
fn couple(setting: &Setting<'_>, plan: &CouplingPlan, run: u64) -> Outcome {
    let (placement, lambda) = CASES[run as usize / plan.coupled];
    let constants = constants(plan, lambda, 2.0);
    let f = StealFunction::HALF;
    let share = phi::search(&constants, &f).expect("within reach") / plan.processors;
    let mut start: Vec<BigUint> = (0..plan.processors).map(|i| BigUint::from(i % 4)).collect();
    start[plan.processors - 1] = share.clone();
    let bounds = (
        constants.steps,
        constants.splits as usize,
        constants.requests(),
    );
    let place = placement.start(plan.processors).expect("enough processors");
    let lambda = Probability::new(lambda).expect("a probability");
    let steal = |load: &BigUint| Function::jobs(&f, load);
    let coupling = Coupling::new(start, &share, bounds, place, lambda, steal);
    let mut rng = setting.seed.stream(COUPLING, run, 0);
    coupling.expect("one processor has Φ_f/n").run(&mut rng)
}

/// What many runs of chain Z showed.
struct SimplerRuns {
    case: usize,
    c: usize,
    constants: Constants,
    split_first: usize,
    requested_in_time: usize,
    /// The mean number of requests within T steps, over n lg n: the c at which Lemma 14 begins to
    /// hold.
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
        split_first: 0,
        requested_in_time: 0,
        requests: 0.0,
    };
    let start = || {
        let place = placement.start(n).expect("enough processors");
        let lambda = Probability::new(lambda).expect("a probability");
        let splits = u32::try_from(constants.splits).expect("a small c");
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
        // Long enough for every request that is still to come, or nearly so.
        let ended: Ended = start().run(constants.requests(), 2 * constants.steps, &mut rng);
        seen.split_first += usize::from(ended.splits_before_requests());
        seen.requested_in_time += usize::from(ended.requests_within(constants.steps));
    }
    // A few more, for the number of requests itself.
    let few = (plan.alone as u64 / 10).max(1);
    let mut requests = 0;
    for number in 0..few {
        let mut rng = setting
            .seed
            .stream(SIMPLER, run, (plan.alone as u64) + number);
        let mut chain = start();
        requests += (0..constants.steps)
            .map(|_| chain.step(&mut rng))
            .sum::<u64>();
    }
    let n = n as f64;
    seen.requests = requests as f64 / few as f64 / (n * n.log2());
    seen
}

fn invariants(outcomes: &[Outcome], plan: &CouplingPlan) -> Claim {
    let broken = outcomes
        .iter()
        .filter(|outcome| outcome.broken.is_some())
        .count();
    let whole = outcomes
        .iter()
        .filter(|outcome| outcome.stop == Stop::Steps)
        .count();
    let steps: u64 = outcomes.iter().map(|outcome| outcome.steps).sum();
    Claim {
        claim: "invariants (1), (2) and (3) of the coupling hold for every t ≤ min(T, τ′, Ψ)"
            .to_owned(),
        stated: "BFG03, section 4.4 (Lemma 17)",
        checked: format!(
            "{} coupled runs on {} processors, every one of {steps} steps; {whole} runs went to T",
            outcomes.len(),
            plan.processors
        ),
        found: format!("broken in {broken} runs"),
        measured: Some(broken as f64),
        bound: Some(0.0),
        holds: broken == 0,
    }
}

fn lemma13_holds(seen: &[SimplerRuns], plan: &CouplingPlan) -> Claim {
    let events: usize = seen.iter().map(|seen| seen.split_first).sum();
    Claim {
        claim: "Pr(Ψ ≤ τ′) ≤ n^−α: no load is split z times before cn lg n requests are made"
            .to_owned(),
        stated: "BFG03, Lemma 13; BFG01, Lemma 3",
        checked: format!(
            "{} runs of chain Z for each of {} settings",
            plan.alone,
            seen.len()
        ),
        found: format!("it happened {events} times"),
        measured: Some(events as f64),
        bound: Some(0.0),
        holds: events == 0,
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
    let allowed = filch_stats::most_errors(runs as u64, bound, 1e-4);
    Claim {
        claim: "Pr(τ′ ≤ T) ≤ n⁻² if c is sufficiently large: fewer than cn lg n requests are made in T steps".to_owned(),
        stated: "BFG03, Lemma 14; BFG01, Lemma 4",
        checked: format!("{runs} runs of chain Z with c = {SUFFICIENT}, and others with less"),
        found: format!(
            "it happened {events} times (more than {allowed} accuses); with c = 0.5, 1 and 2, which are not sufficiently large, {small} times"
        ),
        measured: Some(events as f64),
        bound: Some(allowed as f64),
        holds: events as u64 <= allowed,
    }
}
