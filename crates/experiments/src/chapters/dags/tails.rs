//! Many runs of one computation, for the bounds that hold with a probability.

use filch_sim::machine::{Machine, Phases, Scheduler};
use filch_theory::machine::{potential, steal_attempts, stealing_time};
use filch_workload::dag::Family;

use super::bounds::float;
use crate::chapters::significance::allowed_errors;
use crate::chapters::{Scale, Setting};
use crate::dag::hypotheses;
use crate::values::{Claim, Outcome};

const FAMILY: &str = "fib:13";
const PROCESSORS: usize = 64;
/// How often a bound may fail.
const EPSILON: f64 = 0.05;

fn runs(scale: Scale) -> usize {
    scale.pick(60, 1000, 20_000)
}

pub(super) fn total(scale: Scale) -> usize {
    2 * runs(scale)
}

fn family() -> Family {
    FAMILY.parse().expect("a family")
}

pub(super) fn stealing(setting: &Setting<'_>) -> Vec<Claim> {
    let (count, family) = (runs(setting.scale), family());
    let machine = Machine::new(Scheduler::Stealing, PROCESSORS);
    let given = hypotheses(&family.measures(), PROCESSORS);
    let computation = family.computation();
    let mut times = setting.runs(count, |run| {
        machine.run(&computation, setting.seed, run).time
    });
    times.sort_unstable();
    // The (1 − ε)-quantile of the time.
    let kept = ((1.0 - EPSILON) * count as f64).ceil() as usize;
    let time = times[kept.saturating_sub(1)] as f64;
    let share = given.work as f64 / PROCESSORS as f64;
    let unit = stealing_time::likely(&given, EPSILON, 1.0) - share;
    let constant = (time - share) / unit;
    vec![Claim {
        claim: "with probability 1 − ε the time is T1/P + O(Tinf + lg P + lg(1/ε))".to_owned(),
        stated: "BL99, section 6",
        checked: format!("stealing on {FAMILY}, P = {PROCESSORS}, {count} runs, ε = {EPSILON}"),
        found: format!("the 1 − ε quantile is {time} steps: the constant is {constant:.3}"),
        measured: Some(constant),
        bound: Some(64.0),
        outcome: Outcome::of(constant <= 64.0),
    }]
}

pub(super) fn vertex_stealing(setting: &Setting<'_>) -> Vec<Claim> {
    let (count, family) = (runs(setting.scale), family());
    let machine = Machine::new(Scheduler::VertexStealing, PROCESSORS);
    let measures = family.measures();
    let given = hypotheses(&measures, PROCESSORS);
    let computation = family.computation();
    let phases = setting.runs(count, |run| {
        let (outcome, phases) = machine.with_phases(&computation, measures.span, setting.seed, run);
        let Phases {
            all, successful, ..
        } = phases;
        (outcome, all, successful)
    });
    let checked = format!("vertex-stealing on {FAMILY}, P = {PROCESSORS}, {count} runs");
    let all: u64 = phases.iter().map(|(_, all, _)| all).sum();
    let successful: u64 = phases.iter().map(|(_, _, successful)| successful).sum();
    let share = successful as f64 / all as f64;
    // An unfinished last phase counts as one.
    let mean = all as f64 / count as f64 + 1.0;
    let expected = float(&steal_attempts::expected_phases(&given));
    let most_successes = phases
        .iter()
        .map(|(_, _, successful)| *successful)
        .max()
        .unwrap_or(0);
    let successes = float(&potential::most_successes(&given));
    let likely = steal_attempts::likely_phases(&given, EPSILON);
    let over = phases
        .iter()
        .filter(|(_, all, _)| (*all + 1) as f64 > likely)
        .count() as u64;
    let allowed = allowed_errors(count as u64, EPSILON);
    let longest = phases
        .iter()
        .map(|(outcome, ..)| outcome.time)
        .max()
        .unwrap_or(0);
    vec![
        Claim {
            claim: "a phase of at least P attempts reduces the potential by a quarter with \
                 probability above 1/4"
                .to_owned(),
            stated: "ABP01, P steal attempts",
            checked: checked.clone(),
            found: format!("{successful} of {all} phases did: {share:.3}"),
            measured: Some(share),
            bound: Some(steal_attempts::SUCCESS),
            outcome: Outcome::of(share > steal_attempts::SUCCESS),
        },
        Claim {
            claim: "fewer than 8·Tinf phases of a run reduce the potential by a quarter".to_owned(),
            stated: "ABP01, proof of the run-time bound",
            checked: checked.clone(),
            found: format!("at most {most_successes}; 8·Tinf is {successes}"),
            measured: Some(most_successes as f64),
            bound: Some(successes),
            outcome: Outcome::of((most_successes as f64) < successes),
        },
        Claim {
            claim: "a run has at most 32·Tinf phases in expectation".to_owned(),
            stated: "ABP01, run-time bound",
            checked: checked.clone(),
            found: format!("{mean:.2} on average; 32·Tinf is {expected}"),
            measured: Some(mean),
            bound: Some(expected),
            outcome: Outcome::of(mean <= expected),
        },
        Claim {
            claim: format!(
                "with probability 1 − ε a run has at most 64·Tinf + 16·ln(1/ε) phases; ε = \
                 {EPSILON}"
            ),
            stated: "ABP01, run-time bound",
            checked,
            found: format!(
                "{over} runs had more than {likely:.0} (at most {allowed} allowed); the longest \
                 took {longest} rounds; the bound is {:.0}",
                steal_attempts::likely_time(&given, EPSILON)
            ),
            measured: Some(over as f64),
            bound: Some(allowed as f64),
            outcome: Outcome::of(over <= allowed),
        },
    ]
}
