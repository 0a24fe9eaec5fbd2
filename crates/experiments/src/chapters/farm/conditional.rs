//! Lemma 3.3 as it is stated: conditional on the state, outside the finite set, with random
//! capacities.

use filch_sim::farm::{Capacities, Class, Length, Line, Servers};
use filch_theory::farm::Lemma33;
use filch_workload::streams::ARRIVALS;

use super::claims::Sentence;
use super::drift::{model, pi};
use super::grid;
use crate::chapters::Setting;
use crate::values::{Cell, Claim, Outcome, Table};

/// Farms so small that a run can start outside the finite set: the capacity of each of three
/// servers, and the load.
const FARMS: [(&str, f64); 3] = [
    ("uniform:1.5", 0.33),
    ("uniform:2", 0.3),
    ("table:1=3,4=1", 0.3),
];

/// The shortest queue besides the Last-Idle server's, Q_min of the proof: short and long intervals.
const SHORTEST: [u32; 4] = [1, 20, 400, 5000];

/// How many states there are.
pub(super) const STATES: usize = FARMS.len() * SHORTEST.len();

/// 3.29 standard errors: 99.9 % intervals.
const WIDTH: f64 = 3.29;

struct State {
    farm: usize,
    queues: [u32; 3],
    epsilon: f64,
    log10_outside: f64,
    /// The mean of L(τ_{k+1}) − L(τ_k) + ε(τ_{k+1} − τ_k) over the runs, and its standard error:
    /// equation 20 says that it is not positive.
    excess: f64,
    error: f64,
    slots: f64,
    change: f64,
}

pub(super) fn write(setting: &Setting<'_>) -> (Claim, Table) {
    let runs = setting.scale.pick(5, 100, 2000);
    let states = setting.runs(STATES, |at| examine(setting, at as usize, runs));
    let outcome = |state: &State| {
        if state.excess + WIDTH * state.error <= 0.0 {
            Outcome::Holds
        } else if state.excess - WIDTH * state.error > 0.0 {
            Outcome::DoesNotHold
        } else {
            Outcome::Undecided
        }
    };
    let outcomes: Vec<Outcome> = states.iter().map(outcome).collect();
    let holding = outcomes.iter().filter(|outcome| outcome.holds()).count();
    let largest = states
        .iter()
        .map(|state| (state.excess + WIDTH * state.error) / state.slots)
        .fold(f64::NEG_INFINITY, f64::max);
    let claim = Sentence {
        claim: "given any state outside the finite set, the expected change of Σ Q^(1+γ) until the \
                next sampling time is at most −ε for each slot",
        stated: "PI Lemma 3.3, equation 20",
        checked: format!(
            "{STATES} states of three servers with random capacities, one of them with more jobs \
             than the set allows, {runs} runs from each state; 99.9 % intervals"
        ),
    }
    .found(
        format!("{holding} of {STATES} states have it"),
        largest,
        0.0,
        Outcome::of_all(outcomes),
    );
    let rows = states.iter().map(|state| {
        let (capacity, load) = FARMS[state.farm];
        vec![
            Cell::Text(capacity.to_owned()),
            load.into(),
            format!("{:?}", state.queues).into(),
            state.log10_outside.into(),
            state.slots.into(),
            state.change.into(),
            (-state.epsilon * state.slots).into(),
        ]
    });
    let table = Table {
        title: format!(
            "Lemma 3.3, conditional on the state: three servers, {runs} runs from each state"
        ),
        columns: vec![
            "capacity",
            "load",
            "queues; the third server is the next Last-Idle one",
            "log₁₀ of the finite set",
            "slots to the next sampling time",
            "mean change of Σ Q^(1+γ)",
            "at most",
        ],
        rows: rows.collect(),
    };
    (claim, table)
}

fn examine(setting: &Setting<'_>, at: usize, runs: u64) -> State {
    let (farm, shortest) = (at / SHORTEST.len(), SHORTEST[at % SHORTEST.len()]);
    let (capacity, load) = FARMS[farm];
    let class = Class::new("all", 3, capacity.parse().expect("a capacity"));
    let servers = Servers::of(vec![class]).expect("three servers");
    let arrivals = grid::arrivals(&servers, load);
    let lemma = Lemma33::of(&model(&servers, &arrivals)).expect("stable, and three servers");
    let outside = 10f64.powf(lemma.log10_outside).ceil() as u32;
    let queues = [outside, shortest, 0];
    let run = pi(arrivals, &lemma);
    let (mut sum, mut squares, mut slots, mut change) = (0.0, 0.0, 0u64, 0.0);
    for replication in 0..runs {
        // The shorter queue is empty after so many slots at the latest.
        let length = Length::of(shortest + 1);
        let number = at as u64 * runs + replication;
        let mut line = Line::start(&run, &servers, length, setting.seed, number)
            .expect("a good policy")
            .from_state(&queues, 0);
        let mut capacities = Capacities::of(&servers, setting.seed, number);
        let mut process = run.arrivals.start().expect("no file is read");
        let mut arriving = setting.seed.stream(ARRIVALS, number, 0);
        // Slot by slot, to end at the first sampling time.
        for _ in 0..=shortest {
            capacities.draw(1);
            line.slots(&[process.next_batch(&mut arriving)], |_| capacities.slot(0));
            if line.queues()[1] == 0 {
                break;
            }
        }
        let drift = line.finish().drift.expect("it was watched");
        let step = drift.levels.iter().rfind(|level| level.times > 0).copied();
        let step = step.unwrap_or_default();
        let excess = step.change + lemma.epsilon * step.slots as f64;
        sum += excess;
        squares += excess * excess;
        slots += step.slots;
        change += step.change;
    }
    let count = runs as f64;
    let mean = sum / count;
    let variance = (squares / count - mean * mean).max(0.0);
    State {
        farm,
        queues,
        epsilon: lemma.epsilon,
        log10_outside: lemma.log10_outside,
        excess: mean,
        error: (variance / (count - 1.0).max(1.0)).sqrt(),
        slots: slots as f64 / count,
        change: change / count,
    }
}
