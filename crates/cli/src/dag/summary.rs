//! What many runs came to, beside what is promised.

use std::fmt;

use filch_sim::machine::{Machine, Outcome, Scheduler};
use filch_theory::machine::stealing_time;
use serde::Serialize;

use super::bounds::Bounds;
use super::source::Loaded;
use super::table::Table;
use crate::args::DagRun;

/// How often the bounds with a probability may fail.
const EPSILON: f64 = 0.01;

/// The totals of all runs: means, where nothing else is said.
#[derive(Serialize)]
pub(super) struct Summary {
    computation: String,
    #[serde(skip)]
    machine: Machine,
    scheduler: &'static str,
    processors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    adversary: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    victim: Option<String>,
    runs: usize,
    seed: u64,
    time: Time,
    work_bucket: f64,
    steal_bucket: f64,
    wait_bucket: f64,
    idle_bucket: f64,
    /// The STEAL bucket by another name: an attempt is begun in a step.
    steal_attempts: f64,
    steals: f64,
    /// The most of all runs.
    peak_space: u64,
    communication: f64,
    /// The least c with time ≤ T1/P + c·Tinf in all runs.
    least_constant: f64,
    bounds: Bounds,
    checked: bool,
    /// None was found, or there would be no result; absent if nobody looked.
    violations: Option<u64>,
}

#[derive(Serialize)]
struct Time {
    mean: f64,
    min: u64,
    max: u64,
}

impl Summary {
    pub(super) fn of(options: &DagRun, loaded: &Loaded, outcomes: &[Outcome]) -> Self {
        let Machine {
            scheduler,
            processors,
            adversary,
            next,
            victim,
        } = options.machine;
        let mean = |value: fn(&Outcome) -> u64| {
            let total: u128 = outcomes
                .iter()
                .map(|outcome| u128::from(value(outcome)))
                .sum();
            total as f64 / outcomes.len() as f64
        };
        let times = outcomes.iter().map(|outcome| outcome.time);
        let (min, max) = (times.clone().min().unwrap_or(0), times.max().unwrap_or(0));
        let given = loaded.hypotheses(processors);
        Self {
            computation: loaded.name.clone(),
            machine: options.machine,
            scheduler: scheduler.name(),
            processors,
            adversary: (scheduler == Scheduler::Stealing).then(|| adversary.name()),
            next: (scheduler == Scheduler::VertexStealing).then(|| next.name()),
            victim: scheduler.is_random().then(|| victim.to_string()),
            runs: options.runs,
            seed: options.seed.get(),
            time: Time {
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
            least_constant: stealing_time::least_constant(&given, max as f64),
            bounds: Bounds::of(&given, EPSILON),
            checked: options.check,
            violations: options.check.then_some(0),
        }
    }

    /// What was run, in a line.
    fn heading(&self) -> String {
        let details = [
            self.adversary.map(|name| format!("adversary {name}")),
            self.next.map(|name| format!("{name} first")),
            self.victim.as_ref().map(|name| format!("victims {name}")),
        ];
        let details: Vec<String> = details.into_iter().flatten().collect();
        let details = match &*details.join(", ") {
            "" => String::new(),
            details => format!(" ({details})"),
        };
        format!(
            "{} on {} processors by {}{details}, {} {}, seed {}{}",
            self.computation,
            self.processors,
            self.scheduler,
            self.runs,
            if self.runs == 1 { "run" } else { "runs" },
            self.seed,
            if self.checked {
                "; every step checked, no violation"
            } else {
                ""
            },
        )
    }

    /// Where the dollars went: a name, how many, how many are promised.
    fn buckets(&self) -> Vec<(&'static str, f64, String)> {
        let bounds = &self.bounds;
        let mut buckets = vec![("WORK", self.work_bucket, bounds.work.to_string())];
        match self.machine.scheduler {
            Scheduler::Greedy | Scheduler::BusyLeaves => {
                buckets.push(("idle", self.idle_bucket, String::new()));
            }
            Scheduler::Stealing => {
                // BL99 names no constant for attempts; by its Lemma 6, M of them wait for M steps at
                // most in the mean.
                buckets.push(("STEAL", self.steal_bucket, String::new()));
                buckets.push(("WAIT", self.wait_bucket, short(self.steal_bucket)));
            }
            Scheduler::VertexStealing => {
                let most = bounds.expected_steal_attempts.to_string();
                buckets.push(("STEAL", self.steal_bucket, most));
            }
        }
        buckets
    }

    /// The bound on time, and on space, with their reasons.
    fn promised(&self) -> [(String, &'static str); 2] {
        let bounds = &self.bounds;
        let nothing = (String::new(), "nothing is promised");
        let space = (bounds.space.to_string(), "S1·P, BL99 Theorems 3 and 5");
        match self.machine.scheduler {
            Scheduler::Greedy => [
                (short(bounds.greedy_time), "T1/P + Tinf, BL99 Theorem 1"),
                nothing,
            ],
            Scheduler::BusyLeaves => [
                (
                    short(bounds.busy_leaves_time),
                    "T1/P + Tinf, BL99 Theorem 3",
                ),
                space,
            ],
            Scheduler::Stealing => [
                (String::new(), "T1/P + O(Tinf) in the mean, BL99 section 6"),
                space,
            ],
            Scheduler::VertexStealing => [
                (
                    short(bounds.expected_time),
                    "T1/P + 64·Tinf in the mean, ABP01",
                ),
                nothing,
            ],
        }
    }
}

/// One digit after the point, if it says anything.
fn short(value: f64) -> String {
    format!("{value:.1}").trim_end_matches(".0").to_owned()
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time, bounds, .. } = self;
        let mut table = Table::new(["", "measured", "promised", ""]);
        let mut row = |name: &str, measured: String, promised: String, meaning: &str| {
            table.row([name.to_owned(), measured, promised, meaning.to_owned()]);
        };
        let none = String::new;
        let [(most, why), (space, because)] = self.promised();
        row("time", short(time.mean), most, why);
        if self.runs > 1 {
            let spread = format!("from {} to {}", time.min, time.max);
            row("", none(), none(), &spread);
        }
        row(
            "time, at least",
            none(),
            short(bounds.lower_time),
            "max(T1/P, Tinf)",
        );
        let constant = format!("{:.3}", self.least_constant);
        row(
            "constant",
            constant,
            none(),
            "least c with time ≤ T1/P + c·Tinf in all runs",
        );
        let all: f64 = self.processors as f64 * time.mean;
        for (name, dollars, promised) in self.buckets() {
            let share = format!("{:.2} % of all dollars", 100.0 * dollars / all);
            row(name, short(dollars), promised, &share);
        }
        if self.victim.is_some() {
            row(
                "steals",
                short(self.steals),
                none(),
                "attempts that brought a thread",
            );
            let (sent, size) = (short(self.communication), bounds.communication.to_string());
            row(
                "communication",
                sent,
                size,
                "P·Tinf·(1 + nd)·Smax, up to a constant",
            );
        }
        row("peak space", self.peak_space.to_string(), space, because);
        write!(f, "{}\n\n{table}", self.heading())
    }
}
