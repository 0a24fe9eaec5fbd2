//! Lemma 19 where it speaks: from states with Φ_f jobs or more.

use filch_policy::steal::StealFunction;
use filch_random::Purpose;
use filch_sim::natural::Coupling;
use filch_stats::{Confidence, replications};
use filch_theory::natural::{Constants, Function, phi};
use filch_workload::{Placement, Probability};
use num_bigint::BigUint;

use crate::chapters::{Scale, Setting};
use crate::values::{Cell, Claim, Outcome, Table};

const LEMMA19: Purpose = Purpose::named("lemma19");
const C: f64 = 2.0;

pub(super) struct AbovePlan {
    processors: usize,
    replications: usize,
}

impl AbovePlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            processors: scale.pick(16, 64, 512),
            replications: scale.pick(4, 10, 40),
        }
    }

    pub(super) fn runs(&self) -> usize {
        CASES.len()
    }
}

/// Placement, λ, and where the jobs are.
const CASES: [(Placement, f64, Start); 10] = [
    (Placement::One, 0.5, Start::OneQueue),
    (Placement::One, 0.9, Start::OneQueue),
    (Placement::Uniform, 0.5, Start::OneQueue),
    (Placement::Uniform, 0.9, Start::OneQueue),
    (Placement::Roam, 0.9, Start::OneQueue),
    (Placement::Longest, 0.9, Start::OneQueue),
    (Placement::One, 0.9, Start::TenTimes),
    (Placement::One, 0.9, Start::OneShare),
    (Placement::Each, 0.9, Start::OneShare),
    (Placement::One, 0.9, Start::AllQueues),
];

/// A state outside of the set C of Lemma 19.
#[derive(Clone, Copy)]
enum Start {
    /// Φ_f jobs in the last queue.
    OneQueue,
    /// 10·Φ_f jobs in the last queue.
    TenTimes,
    /// The last queue has Φ_f/n jobs, the queue before it the rest of Φ_f: as unlike as can be.
    OneShare,
    /// Φ_f/n jobs in every queue.
    AllQueues,
}

impl Start {
    fn name(self) -> &'static str {
        match self {
            Self::OneQueue => "Φ_f in one queue",
            Self::TenTimes => "10·Φ_f in one queue",
            Self::OneShare => "Φ_f/n in one queue, the rest in another",
            Self::AllQueues => "Φ_f/n in every queue",
        }
    }

    fn queues(self, phi: &BigUint, processors: usize) -> Vec<BigUint> {
        let share = phi / processors;
        let mut queues = vec![BigUint::ZERO; processors];
        match self {
            Self::OneQueue => queues[processors - 1] = phi.clone(),
            Self::TenTimes => queues[processors - 1] = phi * 10u8,
            Self::OneShare => {
                queues[processors - 2] = phi - &share;
                queues[processors - 1] = share;
            }
            Self::AllQueues => queues.fill(share),
        }
        queues
    }
}

struct Fall {
    /// (Φ(X_T) − Φ(X_0)) / nT on average, with its 99.9 % half-width.
    change: f64,
    half_width: f64,
    /// −ε.
    bound: f64,
    digits: usize,
}

pub(super) fn write(setting: &Setting<'_>, plan: &AbovePlan) -> (Claim, Table) {
    let falls = setting.runs(CASES.len(), |case| fall(setting, plan, case));
    let outcome = |fall: &Fall| {
        if fall.change + fall.half_width <= fall.bound {
            Outcome::Holds
        } else if fall.change - fall.half_width > fall.bound {
            Outcome::DoesNotHold
        } else {
            Outcome::Undecided
        }
    };
    let closest = falls
        .iter()
        .map(|fall| fall.change + fall.half_width - fall.bound)
        .fold(f64::NEG_INFINITY, f64::max);
    let claim = Claim {
        claim:
            "from every state with Φ_f jobs or more, the expected load falls by at least εnT in \
                T steps"
                .to_owned(),
        stated: "BFG03, Lemmas 18 and 19; BFG01, Lemmas 7 and 8",
        checked: format!(
            "{} starts on {} processors, {} runs of T steps each, half, c = {C}, integers of any \
             size; 99.9 % intervals",
            CASES.len(),
            plan.processors,
            plan.replications
        ),
        found: format!("in the closest case it falls by {:.4} nT more", -closest),
        measured: Some(closest),
        bound: Some(0.0),
        outcome: Outcome::of_all(falls.iter().map(outcome)),
    };
    let rows = CASES
        .iter()
        .zip(&falls)
        .map(|((placement, lambda, start), fall)| {
            vec![
                Cell::Text(placement.to_string()),
                (*lambda).into(),
                start.name().to_owned().into(),
                (fall.digits as u64).into(),
                fall.change.into(),
                fall.half_width.into(),
                fall.bound.into(),
            ]
        });
    let table = Table {
        title: format!(
            "Lemma 19 from above Φ_f: drift over T steps, {} processors, half, c = {C}",
            plan.processors
        ),
        columns: vec![
            "generators",
            "λ",
            "start",
            "digits of Φ_f",
            "drift / nT",
            "± 99.9 %",
            "at most",
        ],
        rows: rows.collect(),
    };
    (claim, table)
}

fn fall(setting: &Setting<'_>, plan: &AbovePlan, case: u64) -> Fall {
    let (placement, lambda, start) = CASES[case as usize];
    let n = plan.processors;
    let constants = Constants::new(n as u64, lambda, C).expect("enough processors");
    let f = StealFunction::HALF;
    let phi = phi::search(&constants, &f).expect("within reach");
    let nt = n as f64 * constants.steps as f64;
    let changes: Vec<f64> = (0..plan.replications as u64)
        .map(|run| {
            let bounds = (constants.steps, constants.splits as usize, f64::INFINITY);
            let place = placement.start(n).expect("enough processors");
            let lambda = Probability::new(lambda).expect("a probability");
            let steal = |load: &BigUint| Function::jobs(&f, load);
            let queues = start.queues(&phi, n);
            let share = &phi / n;
            let chain = Coupling::new(queues, &share, bounds, place, lambda, steal);
            let mut rng = setting.seed.stream(LEMMA19, case, run);
            let chain = chain.expect("one processor has Φ_f/n");
            chain.change_of_load(&mut rng) as f64 / nt
        })
        .collect();
    let confidence = Confidence::new(0.999).expect("a level");
    let estimate = replications(&changes, confidence).expect("several runs");
    Fall {
        change: estimate.mean,
        half_width: estimate.half_width,
        bound: -constants.epsilon,
        digits: phi.to_string().len(),
    }
}
