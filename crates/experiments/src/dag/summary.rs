//! The totals of many runs, and the bounds.

use filch_sim::machine::{Machine, MachineOutcome, Scheduler};
use filch_theory::machine::stealing_time;
use serde::Serialize;

use super::bounds::DagBounds;
use super::executions::Executions;
use super::hypotheses::hypotheses;
use super::stacks::StacksSummary;

/// How often the bounds with a probability may fail.
const EPSILON: f64 = 0.01;

/// The totals of all runs. Numbers are means unless they say otherwise.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the computation.
    pub computation: String,
    /// The machine.
    #[serde(skip)]
    pub machine: Machine,
    /// The scheduler by its name.
    pub scheduler: &'static str,
    /// P.
    pub processors: usize,
    /// The adversary that chooses among requests, if the scheduler has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adversary: Option<&'static str>,
    /// Which ready instructions come first, if the scheduler is greedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<&'static str>,
    /// Which vertex comes first, if the scheduler is one on vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
    /// When an attempt may fail, if the scheduler is one on vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pop_top: Option<&'static str>,
    /// How thieves choose victims, if there are thieves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim: Option<String>,
    /// How many runs were made.
    pub runs: usize,
    /// What all randomness came from.
    pub seed: u64,
    /// Steps.
    pub time: TimeSpread,
    /// Dollars in the WORK bucket.
    pub work_bucket: f64,
    /// Dollars in the STEAL bucket.
    pub steal_bucket: f64,
    /// Dollars in the WAIT bucket.
    pub wait_bucket: f64,
    /// Dollars of idle processors.
    pub idle_bucket: f64,
    /// Steal attempts. Each costs one dollar, so this is the STEAL bucket.
    pub steal_attempts: f64,
    /// Attempts that brought a thread.
    pub steals: f64,
    /// The largest of all runs.
    pub peak_space: u64,
    /// What was sent, in frames.
    pub communication: f64,
    /// What became of stacks, if the scheduler is one of fork-join runtimes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stacks: Option<StacksSummary>,
    /// The least c with time ≤ T1/P + c·Tinf in all runs.
    pub least_constant: f64,
    /// The bounds of the theorems.
    pub bounds: DagBounds,
    /// Whether every step was checked.
    pub checked: bool,
    /// Always 0, since a violation is an error; absent if nothing was checked.
    pub violations: Option<u64>,
}

/// The time of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeSpread {
    /// On average.
    pub mean: f64,
    /// The shortest.
    pub min: u64,
    /// The longest.
    pub max: u64,
}

impl Summary {
    pub(super) fn of(name: &str, executions: &Executions<'_>, outcomes: &[MachineOutcome]) -> Self {
        let Machine {
            scheduler,
            processors,
            order,
            adversary,
            next,
            pop_top,
            victim,
            ..
        } = executions.machine;
        let mean = |value: fn(&MachineOutcome) -> u64| {
            let total: u128 = outcomes
                .iter()
                .map(|outcome| u128::from(value(outcome)))
                .sum();
            total as f64 / outcomes.len() as f64
        };
        let times = outcomes.iter().map(|outcome| outcome.time);
        let (min, max) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
        let given = hypotheses(executions.measures, processors);
        Self {
            computation: name.to_owned(),
            machine: executions.machine,
            scheduler: scheduler.name(),
            processors,
            adversary: (scheduler == Scheduler::Stealing).then(|| adversary.name()),
            order: (scheduler == Scheduler::Greedy).then(|| order.name()),
            next: (scheduler == Scheduler::VertexStealing).then(|| next.name()),
            pop_top: (scheduler == Scheduler::VertexStealing).then(|| pop_top.name()),
            victim: scheduler.has_thieves().then(|| victim.to_string()),
            runs: outcomes.len(),
            seed: executions.seed.get(),
            time: TimeSpread {
                mean: mean(|outcome| outcome.time),
                min,
                max,
            },
            work_bucket: mean(|outcome| outcome.work),
            steal_bucket: mean(|outcome| outcome.steal),
            wait_bucket: mean(|outcome| outcome.wait),
            idle_bucket: mean(|outcome| outcome.idle),
            steal_attempts: mean(|outcome| outcome.steal),
            steals: mean(|outcome| outcome.steals),
            peak_space: outcomes
                .iter()
                .map(|outcome| outcome.peak_space)
                .max()
                .unwrap_or(0),
            communication: mean(|outcome| outcome.communication),
            stacks: StacksSummary::of(outcomes),
            least_constant: stealing_time::least_constant(&given, max as f64),
            bounds: DagBounds::of(&given, EPSILON),
            checked: executions.check,
            violations: executions.check.then_some(0),
        }
    }
}
