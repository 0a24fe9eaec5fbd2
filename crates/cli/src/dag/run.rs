//! `filch dag run`: a computation on simulated processors, once or many times.

use filch_sim::machine::{Machine, Outcome, Scheduler, Violation};
use filch_theory::machine::stealing_time;
use serde::Serialize;

use super::bounds::Bounds;
use super::source::Loaded;
use super::table::Table;
use crate::args::DagRun;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{output, parallel};

/// How often the bounds with a probability may fail.
const EPSILON: f64 = 0.01;

/// The totals of all runs: means, where nothing else is said.
#[derive(Serialize)]
struct Summary {
    computation: String,
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

pub(super) fn run(options: &DagRun) -> Result<(), Failure> {
    let loaded = Loaded::from(&options.source)?;
    loaded.check(options.machine.scheduler)?;
    let outcomes = outcomes(options, &loaded)?;
    let result = summary(options, &loaded, &outcomes);
    if options.json {
        output::print_json(&result)
    } else {
        output::print(&shown(&result))
    }
}

/// What the runs came to, in order; the first violation ends it all.
fn outcomes(options: &DagRun, loaded: &Loaded) -> Result<Vec<Outcome>, Failure> {
    let Machine { scheduler, .. } = options.machine;
    let progress = Progress::of(format!("{} by {scheduler}", loaded.name));
    let one = |run: usize| -> Result<Outcome, Violation> {
        let (machine, computation) = (&options.machine, &loaded.computation);
        let outcome = if options.check {
            machine.checked(computation, &loaded.measures, options.seed, run as u64)
        } else {
            Ok(machine.run(computation, options.seed, run as u64))
        };
        progress.done();
        outcome
    };
    // One that draws nothing at random gives the same every time.
    let runs = if scheduler.is_random() {
        options.runs
    } else {
        1
    };
    progress.expect(runs);
    let outcomes = parallel::map(runs, parallel::threads(), one);
    progress.finish();
    let outcomes = outcomes.into_iter().enumerate().map(|(run, outcome)| {
        outcome.map_err(|violation| Failure::run(format!("run {}: {violation}", run + 1)))
    });
    outcomes.collect()
}

fn summary(options: &DagRun, loaded: &Loaded, outcomes: &[Outcome]) -> Summary {
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
    Summary {
        computation: loaded.name.clone(),
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

/// The same for people.
fn shown(result: &Summary) -> String {
    let Summary { time, bounds, .. } = result;
    let stealing = result.victim.is_some();
    let mut table = Table::new(["", "measured", "promised", ""]);
    let mut row = |name: &str, value: String, bound: String, meaning: &str| {
        table.row([name.to_owned(), value, bound, meaning.to_owned()]);
    };
    let whole = |value: f64| format!("{value:.1}").trim_end_matches(".0").to_owned();
    let dollars =
        result.work_bucket + result.steal_bucket + result.wait_bucket + result.idle_bucket;
    let share = |bucket: f64| format!("{:.2} % of all dollars", 100.0 * bucket / dollars);
    let spread = format!("from {} to {}", time.min, time.max);
    let (most, why) = match result.scheduler {
        "greedy" => (bounds.greedy_time, "T1/P + Tinf, BL99 Theorem 1"),
        "busy-leaves" => (bounds.busy_leaves_time, "T1/P + Tinf, BL99 Theorem 3"),
        "stealing" => (f64::NAN, "T1/P + O(Tinf) in the mean, BL99 section 6"),
        _ => (bounds.expected_time, "T1/P + 64·Tinf in the mean, ABP01"),
    };
    let most = if most.is_nan() {
        String::new()
    } else {
        whole(most)
    };
    row("time", whole(time.mean), most, why);
    row("", String::new(), String::new(), &spread);
    row(
        "time, at least",
        String::new(),
        whole(bounds.lower_time),
        "max(T1/P, Tinf)",
    );
    row(
        "constant",
        format!("{:.3}", result.least_constant),
        String::new(),
        "least c with time ≤ T1/P + c·Tinf in all runs",
    );
    row(
        "WORK",
        whole(result.work_bucket),
        bounds.work.to_string(),
        &share(result.work_bucket),
    );
    if stealing {
        row(
            "STEAL",
            whole(result.steal_bucket),
            bounds.expected_steal_attempts.to_string(),
            &share(result.steal_bucket),
        );
        if result.adversary.is_some() {
            // Lemma 6: the mean delay of M requests is at most M.
            let most = whole(result.steal_bucket);
            row(
                "WAIT",
                whole(result.wait_bucket),
                most,
                &share(result.wait_bucket),
            );
        }
        row(
            "steals",
            whole(result.steals),
            String::new(),
            "attempts that brought a thread",
        );
        row(
            "communication",
            whole(result.communication),
            bounds.communication.to_string(),
            "P·Tinf·(1 + nd)·Smax, up to a constant",
        );
    } else {
        row(
            "idle",
            whole(result.idle_bucket),
            String::new(),
            &share(result.idle_bucket),
        );
    }
    let space = match result.scheduler {
        "busy-leaves" | "stealing" => (bounds.space.to_string(), "S1·P, BL99 Theorems 3 and 5"),
        _ => (String::new(), "nothing is promised"),
    };
    row(
        "peak space",
        result.peak_space.to_string(),
        space.0,
        space.1,
    );
    let detail: Vec<String> = [
        result.adversary.map(|name| format!("adversary {name}")),
        result.next.map(|name| format!("{name} first")),
        result.victim.as_ref().map(|name| format!("victims {name}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let detail = if detail.is_empty() {
        String::new()
    } else {
        format!(" ({})", detail.join(", "))
    };
    let checked = if result.checked {
        "; every step checked, no violation"
    } else {
        ""
    };
    format!(
        "{} on {} processors by {}{detail}, {} {}, seed {}{checked}\n\n{table}",
        result.computation,
        result.processors,
        result.scheduler,
        result.runs,
        if result.runs == 1 { "run" } else { "runs" },
        result.seed,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Source;
    use filch_random::Seed;
    use filch_workload::dag::Family;

    fn options(runs: usize) -> DagRun {
        DagRun {
            source: Source::Family(Family::Figure1),
            machine: Machine::new(Scheduler::Stealing, 2),
            runs,
            check: true,
            seed: Seed::default(),
            json: false,
        }
    }

    /// A violation is a failed run, told in one line. The machines break no promise, so the promise
    /// is falsified here: space for one thread less, one instruction more.
    #[test]
    fn a_violation_is_a_failure() {
        let options = options(3);
        let mut loaded = Loaded::from(&options.source).unwrap();
        assert_eq!(outcomes(&options, &loaded).unwrap().len(), 3);
        loaded.measures.stack_depth = 1;
        assert_eq!(
            outcomes(&options, &loaded),
            Err(Failure::run(
                "run 1: the space bound S1·P (BL99 Theorems 3 and 5) is violated at step 4: \
                 space 3 is more than 2"
            ))
        );
        loaded.measures.stack_depth = 3;
        loaded.measures.work += 1;
        assert_eq!(
            outcomes(&options, &loaded),
            Err(Failure::run(
                "run 1: the accounting of dollars (BL99 Lemma 7) is violated: 23 dollars are in the \
                 WORK bucket, and there are 24 instructions"
            ))
        );
    }

    /// Runs are put back into order, so the number of threads does not show.
    #[test]
    fn runs_are_those_of_their_numbers() {
        let options = options(20);
        let loaded = Loaded::from(&options.source).unwrap();
        let all = outcomes(&options, &loaded).unwrap();
        for (run, outcome) in all.into_iter().enumerate() {
            let alone = options
                .machine
                .run(&loaded.computation, options.seed, run as u64);
            assert_eq!(outcome, alone);
        }
    }
}
