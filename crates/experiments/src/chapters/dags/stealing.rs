//! Time, space, attempts and communication of the schedulers that steal, over the whole grid.

use filch_sim::machine::{MachineOutcome, Scheduler};
use filch_theory::machine::{
    Hypotheses, communication, delay_sequence, lower, steal_attempts, stealing_time,
};

use super::bounds::{all, float, largest, runs, space_bound};
use super::grid::{DagGrid, RunSet};
use crate::values::{Claim, Outcome};

/// The parallelism T1/Tinf counts as Ω(P) where it is at least this many times P.
const MUCH: f64 = 10.0;

/// BL99: threads are stolen.
pub(super) fn on_threads(grid: &DagGrid) -> Vec<Claim> {
    let sets = || grid.of(Scheduler::Stealing);
    let checked = grid.described("stealing", runs(grid));
    let wrong = all(grid).filter(|(set, outcome)| outcome.work != set.given.work);
    let wrong = wrong.count();
    let constant = largest(sets(), |given, run| {
        stealing_time::least_constant(given, run.time as f64)
    });
    let attempts = sets().map(|set| {
        let most = set.given.processors as f64 * set.given.span as f64;
        set.mean(|run| run.steal as f64) / most
    });
    let attempts = attempts.fold(0.0, f64::max);
    // With few attempts the ratio of a single set is noise, so the totals are compared.
    let total = |value: fn(&MachineOutcome) -> u64| -> f64 {
        let runs = sets().flat_map(|set| &set.outcomes);
        runs.map(|run| value(run) as f64).sum()
    };
    let waiting = total(|run| run.wait) / total(|run| run.steal);
    let sent = sets().map(|set| {
        set.mean(|run| run.communication as f64) / float(&communication::size(&set.given))
    });
    let sent = sent.fold(0.0, f64::max);
    let much: Vec<&RunSet> = sets()
        .filter(|set| {
            let given = &set.given;
            given.work as f64 / given.span as f64 >= MUCH * given.processors as f64
        })
        .collect();
    let efficiency = much.iter().map(|set| {
        let mean = set.mean(|run| run.time as f64);
        lower::speedup(&set.given, mean) / set.given.processors as f64
    });
    let efficiency = efficiency.fold(f64::INFINITY, f64::min);
    // What section 6 gives with the constants of its delay sequences, for each point with thieves.
    let against = |value: fn(&MachineOutcome) -> f64, bound: fn(&Hypotheses, u64) -> f64| {
        let thieves = sets().filter(|set| set.given.processors > 1);
        let ratios = thieves.map(|set| {
            let measures = &grid.computations[set.computation].measures;
            let edges = measures.most_edges_out + 1;
            set.mean(value) / bound(&set.given, edges)
        });
        ratios.fold(0.0, f64::max)
    };
    let time_part = against(|run| run.time as f64, delay_sequence::expected_time);
    let attempts_part = against(|run| run.steal as f64, delay_sequence::expected_attempts);
    let sent_part = against(
        |run| run.communication as f64,
        delay_sequence::expected_communication,
    );
    vec![
        space_bound(
            grid,
            "work stealing uses space at most S1·P",
            "BL99, Theorem 5",
            Scheduler::Stealing,
        ),
        Claim {
            claim: "the WORK bucket receives exactly T1 dollars".to_owned(),
            stated: "BL99, Lemma 7",
            checked: grid.described("all five schedulers", runs(grid)),
            found: format!("{wrong} runs with a different number"),
            measured: Some(wrong as f64),
            bound: Some(0.0),
            outcome: Outcome::of(wrong == 0),
        },
        Claim {
            claim: "thieves wait for queued requests at most as many steps as they make attempts: \
                    E[WAIT] ≤ E[STEAL]"
                .to_owned(),
            stated: "BL99, Lemma 6 and section 6",
            checked: checked.clone(),
            found: format!("WAIT / STEAL is {waiting:.3} over all runs"),
            measured: Some(waiting),
            bound: Some(1.0),
            outcome: Outcome::of(waiting <= 1.0),
        },
        Claim {
            claim: "the expected time is T1/P + O(Tinf)".to_owned(),
            stated: "BL99, section 6 and abstract",
            checked: checked.clone(),
            found: format!(
                "at most {time_part:.4} of the bound that delay sequences give; c = {constant:.3} \
                 covers every run: time ≤ T1/P + c·Tinf"
            ),
            measured: Some(time_part),
            bound: Some(1.0),
            outcome: Outcome::of(time_part <= 1.0),
        },
        Claim {
            claim: "the expected number of steal attempts is O(P·Tinf)".to_owned(),
            stated: "BL99, section 6",
            checked: checked.clone(),
            found: format!(
                "at most {attempts_part:.4} of the bound that delay sequences give; at most \
                 {attempts:.3}·P·Tinf on average"
            ),
            measured: Some(attempts_part),
            bound: Some(1.0),
            outcome: Outcome::of(attempts_part <= 1.0),
        },
        Claim {
            claim: "the expected communication is O(P·Tinf·(1 + nd)·Smax)".to_owned(),
            stated: "BL99, section 6 and abstract",
            checked,
            found: format!(
                "at most {sent_part:.4} of the bound that delay sequences give; at most \
                 {sent:.3}·P·Tinf·(1 + nd)·Smax on average"
            ),
            measured: Some(sent_part),
            bound: Some(1.0),
            outcome: Outcome::of(sent_part <= 1.0),
        },
        Claim {
            claim: "speedup is linear where the parallelism T1/Tinf is Ω(P)".to_owned(),
            stated: "BL99, section 2",
            checked: format!(
                "stealing, the {} points with P ≤ T1/Tinf / {MUCH}",
                much.len()
            ),
            found: format!("speedup at least {efficiency:.3}·P"),
            measured: Some(efficiency),
            bound: Some(0.5),
            outcome: Outcome::of(!much.is_empty() && efficiency >= 0.5),
        },
    ]
}

/// ABP01: vertices are stolen.
pub(super) fn on_vertices(grid: &DagGrid) -> Vec<Claim> {
    let sets = || grid.of(Scheduler::VertexStealing);
    let checked = grid.described("vertex-stealing", runs(grid));
    let unequal = sets()
        .flat_map(|set| set.outcomes.iter().map(|run| (set.given.processors, run)))
        .filter(|(processors, run)| run.time * processors != run.work + run.steal)
        .count();
    let against = |value: fn(&MachineOutcome) -> f64, bound: fn(&Hypotheses) -> f64| {
        let ratios = sets().map(|set| set.mean(value) / bound(&set.given));
        ratios.fold(0.0, f64::max)
    };
    let attempts = against(
        |run| run.steal as f64,
        |given| float(&steal_attempts::expected_attempts(given)),
    );
    let time = against(|run| run.time as f64, steal_attempts::expected_time);
    let constant = largest(sets(), |given, run| {
        stealing_time::least_constant(given, run.time as f64)
    });
    vec![
        Claim {
            claim:
                "in each round a worker executes an instruction or makes an attempt: P·T = T1 + A"
                    .to_owned(),
            stated: "ABP01, work and steal bound",
            checked: checked.clone(),
            found: format!("{unequal} runs with P·T ≠ T1 + A"),
            measured: Some(unequal as f64),
            bound: Some(0.0),
            outcome: Outcome::of(unequal == 0),
        },
        Claim {
            claim: "the expected number of steal attempts is at most 64·P·Tinf: 32·Tinf phases of \
                 fewer than 2·P attempts"
                .to_owned(),
            stated: "ABP01, run-time bound",
            checked: checked.clone(),
            found: format!("at most {attempts:.4} times 64·P·Tinf on average"),
            measured: Some(attempts),
            bound: Some(1.0),
            outcome: Outcome::of(attempts <= 1.0),
        },
        Claim {
            claim: "the expected time is O(T1/P + Tinf); the proof gives T1/P + 64·Tinf".to_owned(),
            stated: "ABP01, run-time bound",
            checked,
            found: format!(
                "at most {time:.3} times that on average; T1/P + {constant:.3}·Tinf covers every \
                 run"
            ),
            measured: Some(time),
            bound: Some(1.0),
            outcome: Outcome::of(time <= 1.0),
        },
    ]
}
