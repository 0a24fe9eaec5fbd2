//! The coupling of chains X and Z: the invariants of section 4.4.

use filch_policy::steal::StealFunction;
use filch_random::Purpose;
use filch_sim::natural::{Coupling, CouplingOutcome, Stop};
use filch_theory::natural::{Constants, Function, phi};
use filch_workload::{Placement, Probability};
use num_bigint::BigUint;

use super::simpler;
use crate::chapters::{Scale, Setting};
use crate::values::{Claim, Outcome, Table};

const COUPLING: Purpose = Purpose::named("coupling");

pub(super) struct CouplingPlan {
    pub(super) processors: usize,
    /// Coupled runs for each case.
    coupled: usize,
    /// Runs of chain Z alone for each case and each c.
    pub(super) alone: usize,
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
        CASES.len() * self.coupled + simpler::SETS
    }
}

/// Placement and λ.
pub(super) const CASES: [(Placement, f64); 5] = [
    (Placement::One, 0.5),
    (Placement::Uniform, 0.5),
    (Placement::One, 0.9),
    (Placement::Roam, 0.5),
    (Placement::Longest, 0.5),
];

pub(super) fn write(setting: &Setting<'_>, plan: &CouplingPlan) -> (Vec<Claim>, Table) {
    let outcomes = setting.runs(CASES.len() * plan.coupled, |run| couple(setting, plan, run));
    let (simpler_claims, table) = simpler::write(setting, plan);
    let mut claims = vec![invariants(&outcomes, plan)];
    claims.extend(simpler_claims);
    (claims, table)
}

pub(super) fn constants(plan: &CouplingPlan, lambda: f64, c: f64) -> Constants {
    Constants::new(plan.processors as u64, lambda, c).expect("enough processors")
}

/// One coupled run from a state x with Φ(x) ≥ Φ_f: the last processor has Φ_f jobs, the others from
/// 0 to 3, so that Y matters too.
fn couple(setting: &Setting<'_>, plan: &CouplingPlan, run: u64) -> CouplingOutcome {
    let (placement, lambda) = CASES[run as usize / plan.coupled];
    let constants = constants(plan, lambda, 2.0);
    let f = StealFunction::HALF;
    let phi = phi::search(&constants, &f).expect("within reach");
    let share = &phi / plan.processors;
    let mut start: Vec<BigUint> = (0..plan.processors).map(|i| BigUint::from(i % 4)).collect();
    start[plan.processors - 1] = phi;
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

fn invariants(outcomes: &[CouplingOutcome], plan: &CouplingPlan) -> Claim {
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
            "{} coupled runs on {} processors from Φ_f jobs on one and some on the others, all \
             {steps} steps; {whole} runs reached T",
            outcomes.len(),
            plan.processors
        ),
        found: format!("violated in {broken} runs"),
        measured: Some(broken as f64),
        bound: Some(0.0),
        outcome: Outcome::of(broken == 0),
    }
}
