//! Many runs of one computation, for the bounds that hold with a probability.

use filch_sim::machine::{Machine, MachineOutcome, Phases, Scheduler};
use filch_theory::machine::{Hypotheses, delay_sequence, potential, steal_attempts, stealing_time};
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
    runs(scale) + FAMILIES.len() * MACHINES.len() * tail_runs(scale)
}

/// Runs of each computation on each machine.
fn tail_runs(scale: Scale) -> usize {
    scale.pick(40, 300, 3000)
}

fn family() -> Family {
    FAMILY.parse().expect("a family")
}

/// The computations, numbers of processors and ε for which BL99's bounds with a probability are
/// tested.
const FAMILIES: [&str; 4] = ["fib:13", "tree:7:4", "loop:100:10", "random:100:1"];
const MACHINES: [usize; 3] = [4, 16, 64];
const EPSILONS: [f64; 3] = [0.5, 0.05, 0.01];

/// The runs of one computation on one machine.
struct Tail {
    given: Hypotheses,
    edges: u64,
    outcomes: Vec<MachineOutcome>,
}

/// What one run came to, and a bound that it exceeds with probability at most ε.
type Exceeded = (fn(&MachineOutcome) -> f64, fn(&Hypotheses, u64, f64) -> f64);

pub(super) fn stealing(setting: &Setting<'_>) -> Vec<Claim> {
    let count = tail_runs(setting.scale);
    let tails: Vec<Tail> = FAMILIES
        .into_iter()
        .flat_map(|name| MACHINES.map(|processors| (name, processors)))
        .map(|(name, processors)| {
            let family: Family = name.parse().expect("a family");
            let (computation, measures) = (family.computation(), family.measures());
            let machine = Machine::new(Scheduler::Stealing, processors);
            Tail {
                given: hypotheses(&measures, processors),
                edges: measures.most_edges_out + 1,
                outcomes: setting.runs(count, |run| machine.run(&computation, setting.seed, run)),
            }
        })
        .collect();
    let checked = format!(
        "stealing on {}, P = 4, 16, 64, ε = 0.5, 0.05, 0.01, {count} runs each",
        FAMILIES.join(", ")
    );
    let rows: [(&str, Exceeded); 3] = [
        (
            "with probability 1 − ε the time is T1/P + O(Tinf + lg P + lg(1/ε))",
            (|run| run.time as f64, delay_sequence::likely_time),
        ),
        (
            "with probability 1 − ε there are O(P·(Tinf + lg(1/ε))) steal attempts",
            (|run| run.steal as f64, delay_sequence::likely_attempts),
        ),
        (
            "with probability 1 − ε the communication is O(P·(Tinf + lg(1/ε))·(1 + nd)·Smax)",
            (
                |run| run.communication as f64,
                delay_sequence::likely_communication,
            ),
        ),
    ];
    let mut claims: Vec<Claim> = rows
        .into_iter()
        .map(|(claim, (value, bound))| exceeding(&tails, claim, value, bound, &checked))
        .collect();
    claims.push(fitted(&tails, checked));
    claims
}

/// How often runs exceed a bound that holds with probability 1 − ε.
fn exceeding(
    tails: &[Tail],
    claim: &str,
    value: fn(&MachineOutcome) -> f64,
    bound: fn(&Hypotheses, u64, f64) -> f64,
    checked: &str,
) -> Claim {
    let (mut worst, mut most) = (0, 0.0f64);
    let mut outcomes = Vec::new();
    for tail in tails {
        for epsilon in EPSILONS {
            let bound = bound(&tail.given, tail.edges, epsilon);
            let runs = tail.outcomes.iter().map(value);
            let over = runs.clone().filter(|value| *value > bound).count() as u64;
            most = runs.fold(most, |most, value| most.max(value / bound));
            worst = worst.max(over);
            let allowed = allowed_errors(tail.outcomes.len() as u64, epsilon);
            outcomes.push(Outcome::of(over <= allowed));
        }
    }
    Claim {
        claim: claim.to_owned(),
        stated: "BL99, section 6",
        checked: checked.to_owned(),
        found: format!(
            "at most {worst} runs of a set exceed the bound that delay sequences give; the \
             largest value is {most:.4} of it"
        ),
        measured: Some(most),
        bound: Some(1.0),
        outcome: Outcome::of_all(outcomes),
    }
}

/// The least constant: the (1 − ε)-quantile of the time beyond T1/P over Tinf + lg P + lg(1/ε).
fn fitted(tails: &[Tail], checked: String) -> Claim {
    let mut constants: Vec<f64> = Vec::new();
    let mut bounds = Vec::new();
    for tail in tails {
        let mut times: Vec<u64> = tail.outcomes.iter().map(|run| run.time).collect();
        times.sort_unstable();
        let share = tail.given.work as f64 / tail.given.processors as f64;
        for epsilon in EPSILONS {
            let kept = ((1.0 - epsilon) * times.len() as f64).ceil() as usize;
            let time = times[kept.saturating_sub(1)] as f64;
            let unit = stealing_time::likely(&tail.given, epsilon, 1.0) - share;
            constants.push((time - share) / unit);
            let proved = delay_sequence::likely_time(&tail.given, tail.edges, epsilon);
            bounds.push((proved - share) / unit);
        }
    }
    let [least, most] = [
        constants.iter().copied().fold(f64::INFINITY, f64::min),
        constants.iter().copied().fold(0.0, f64::max),
    ];
    let proved = bounds.into_iter().fold(f64::INFINITY, f64::min);
    Claim {
        claim: "one constant serves all computations, P and ε: the quantiles of the time are T1/P \
                + c·(Tinf + lg P + lg(1/ε))"
            .to_owned(),
        stated: "BL99, section 6",
        checked,
        found: format!(
            "c is from {least:.3} to {most:.3}; what delay sequences prove is at least {proved:.1}"
        ),
        measured: Some(most),
        bound: Some(proved),
        outcome: Outcome::of(most <= proved),
    }
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
            claim: "over all phases of at least P attempts together, more than 1/4 reduce the \
                 potential by a quarter"
                .to_owned(),
            stated: "ABP01, proof of the run-time bound",
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
