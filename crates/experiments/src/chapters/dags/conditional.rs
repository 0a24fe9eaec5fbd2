//! ABP01's statements about any round, given the state in which it begins.
//!
//! A *state* is what a run with one seed has come to at the beginning of a round. From there it is
//! continued many times with independent randomness.

use filch_sim::machine::{Machine, PopTop, Scheduler};
use filch_stats::most_errors;
use filch_theory::machine::steal_attempts;
use filch_workload::dag::{Computation, Family};

use crate::chapters::significance::allowed_errors;
use crate::chapters::{Scale, Setting};
use crate::values::{Claim, Outcome};

const FAMILIES: [&str; 3] = ["fib:11", "tree:6:3", "random:60:2"];
const PROCESSORS: [usize; 2] = [4, 16];
/// Where in the run the states lie, in parts of its time.
const PARTS: [f64; 4] = [0.1, 0.35, 0.6, 0.85];

fn futures(scale: Scale) -> usize {
    scale.pick(100, 500, 3000)
}

const STATES: usize = FAMILIES.len() * PROCESSORS.len() * PARTS.len() * PopTop::ALL.len();

pub(super) fn total(scale: Scale) -> usize {
    STATES * futures(scale)
}

/// A state: a machine, a computation and a round.
struct State<'a> {
    machine: Machine,
    computation: &'a Computation,
    span: u64,
    round: u64,
}

pub(super) fn claims(setting: &Setting<'_>) -> Vec<Claim> {
    let families = FAMILIES.map(|name| name.parse::<Family>().expect("a family"));
    let computations = families.map(|family| (family.computation(), family.measures().span));
    let mut states = Vec::new();
    for (computation, span) in &computations {
        for processors in PROCESSORS {
            for pop_top in PopTop::ALL {
                let machine = Machine {
                    pop_top,
                    ..Machine::new(Scheduler::VertexStealing, processors)
                };
                let time = machine.run(computation, setting.seed, 0).time;
                states.extend(PARTS.map(|part| State {
                    machine,
                    computation,
                    span: *span,
                    round: 1 + (part * (time - 1) as f64) as u64,
                }));
            }
        }
    }
    let futures = futures(setting.scale);
    let losses = setting.runs(states.len() * futures, |at| {
        let (state, future) = (&states[at as usize / futures], at % futures as u64);
        let loss = state.machine.loss_from(
            state.round,
            state.computation,
            state.span,
            setting.seed,
            future,
        );
        [loss.of_deques, loss.of_all].map(|lost| lost.unwrap_or(false))
    });
    let checked = format!(
        "vertex-stealing on {}, P = 4 and 16, popTop atomic and relaxed, from {} states, {futures} \
         futures each",
        FAMILIES.join(", "),
        states.len()
    );
    [
        (
            0,
            "from any round i, whatever the state, P attempts take at least ¼·Φ_i(D_i) of the \
             potential with probability above 1/4",
            "ABP01, P steal attempts",
        ),
        (
            1,
            "a phase that begins in any round, whatever the state, reduces the potential by a \
             quarter with probability above 1/4",
            "ABP01, proof of the run-time bound",
        ),
    ]
    .map(|(which, claim, stated)| {
        let counts: Vec<u64> = losses
            .chunks(futures)
            .map(|state| state.iter().filter(|lost| lost[which]).count() as u64)
            .collect();
        let fewest = counts.iter().copied().min().unwrap_or(0) as f64 / futures as f64;
        Claim {
            claim: claim.to_owned(),
            stated,
            checked: checked.clone(),
            found: format!("in every state at least {fewest:.3} of the futures did"),
            measured: Some(fewest),
            bound: Some(steal_attempts::SUCCESS),
            outcome: Outcome::of_all(counts.iter().map(|&count| verdict(count, futures as u64))),
        }
    })
    .into()
}

/// Whether so many successes show a probability above 1/4, or one below.
fn verdict(successes: u64, futures: u64) -> Outcome {
    if successes > most_errors(futures, steal_attempts::SUCCESS, 1e-4) {
        Outcome::Holds
    } else if futures - successes > allowed_errors(futures, 1.0 - steal_attempts::SUCCESS) {
        Outcome::DoesNotHold
    } else {
        Outcome::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        assert_eq!(verdict(500, 1000), Outcome::Holds);
        assert_eq!(verdict(255, 1000), Outcome::Undecided);
        assert_eq!(verdict(100, 1000), Outcome::DoesNotHold);
    }
}
