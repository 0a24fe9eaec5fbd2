//! Theorem 3.2(iii): the same law in the long run from any start, also the worst.

use filch_sim::farm::{Batches, Capacities, Length, Line, Run, Servers};
use filch_stats::kolmogorov_smirnov;
use filch_workload::streams::ARRIVALS;

use super::claims::Sentence;
use super::grid;
use crate::chapters::Setting;
use crate::values::{Cell, Claim, Outcome, Table};

/// Where a run starts: five slow servers, then five fast ones.
struct Start {
    name: &'static str,
    queues: [u32; 10],
    last_idle: usize,
}

const FEW: u32 = 40;
const MANY: u32 = 2000;

const STARTS: [Start; 5] = [
    Start {
        name: "empty",
        queues: [0; 10],
        last_idle: 0,
    },
    Start {
        name: "a long queue at the slow Last-Idle server, no other server idle",
        queues: [MANY, FEW, FEW, FEW, FEW, FEW, FEW, FEW, FEW, FEW],
        last_idle: 0,
    },
    Start {
        name: "a long queue at the fast Last-Idle server, no other server idle",
        queues: [FEW, FEW, FEW, FEW, FEW, FEW, FEW, FEW, FEW, 10 * MANY],
        last_idle: 9,
    },
    Start {
        name: "a long queue at the Last-Idle server, the others nearly idle",
        queues: [MANY, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        last_idle: 0,
    },
    Start {
        name: "long queues everywhere",
        queues: [MANY; 10],
        last_idle: 4,
    },
];

const LOADS: [f64; 2] = [0.5, 0.9];

/// Policy and whether batches are split: Theorems 3.2 and 3.4.
const RULES: [(&str, Batches); 2] = [("pi", Batches::Whole), ("pi", Batches::Split)];

/// How many sets of runs there are.
pub(super) const SETS: usize = STARTS.len() * LOADS.len() * RULES.len();

/// The probability with which a true claim is not confirmed, over all comparisons.
const ERROR: f64 = 0.01;
const COMPARISONS: f64 = ((STARTS.len() - 1) * LOADS.len() * RULES.len()) as f64;

/// The jobs waiting at the end of each run.
fn waiting(setting: &Setting<'_>, servers: &Servers, set: usize, runs: u64) -> Vec<f64> {
    let (start, rest) = (&STARTS[set % STARTS.len()], set / STARTS.len());
    let (load, (policy, batches)) = (LOADS[rest % LOADS.len()], RULES[rest / LOADS.len()]);
    let run = Run {
        completions: false,
        ..Run::of(grid::named(policy), batches, grid::arrivals(servers, load))
    };
    let slots = slots(setting);
    let first = set as u64 * runs;
    let ends = (first..first + runs).map(|replication| {
        let length = Length {
            points: 1,
            ..Length::of(slots)
        };
        let mut line = Line::start(&run, servers, length, setting.seed, replication)
            .expect("a good policy")
            .from_state(&start.queues, start.last_idle);
        let mut capacities = Capacities::of(servers, setting.seed, replication);
        let mut process = run.arrivals.start().expect("no file is read");
        let mut arriving = setting.seed.stream(ARRIVALS, replication, 0);
        let mut left = slots;
        while left > 0 {
            let some = left.min(500);
            let batches: Vec<u32> = (0..some)
                .map(|_| process.next_batch(&mut arriving))
                .collect();
            capacities.draw(some as usize);
            line.slots(&batches, |at| capacities.slot(at));
            left -= some;
        }
        line.queues().iter().map(|&queue| f64::from(queue)).sum()
    });
    ends.collect()
}

/// Enough for the longest queue to be served, and for PI to forget where it started.
fn slots(setting: &Setting<'_>) -> u32 {
    setting.scale.pick(2500, 25_000, 40_000)
}

pub(super) fn write(setting: &Setting<'_>) -> (Claim, Table) {
    let servers = grid::farm(5, 5, 10.0);
    let runs = setting.scale.pick(20, 40, 400);
    let ends = setting.runs(SETS, |set| waiting(setting, &servers, set as usize, runs));
    let mut outcomes = Vec::new();
    let mut least = 1.0f64;
    let mut rows = Vec::new();
    for (set, ends_here) in ends.iter().enumerate() {
        let (start, rest) = (set % STARTS.len(), set / STARTS.len());
        let from_empty = &ends[set - start];
        let p = kolmogorov_smirnov(from_empty, ends_here).filter(|_| start > 0);
        if start > 0 {
            let confirmed = p.is_some_and(|p| p >= ERROR / COMPARISONS);
            outcomes.push(if confirmed {
                Outcome::Holds
            } else {
                Outcome::Undecided
            });
            least = least.min(p.unwrap_or(0.0));
        }
        let mean = ends_here.iter().sum::<f64>() / ends_here.len().max(1) as f64;
        let (policy, batches) = RULES[rest / LOADS.len()];
        rows.push(vec![
            Cell::Text(STARTS[start].name.to_owned()),
            policy.to_owned().into(),
            batches.to_string().into(),
            LOADS[rest % LOADS.len()].into(),
            STARTS[start]
                .queues
                .iter()
                .map(|&jobs| u64::from(jobs))
                .sum::<u64>()
                .into(),
            mean.into(),
            p.map_or(Cell::Text("–".to_owned()), Cell::Real),
        ]);
    }
    let claim = Sentence {
        claim: "from any start, also with one long queue at the Last-Idle server, PI comes to the \
                same stationary law",
        stated: "PI Theorem 3.2(iii), section 3.2.1; Theorem 3.4(iii)",
        checked: format!(
            "jobs waiting after {} slots in {runs} independent runs from each of {} starts, \
             against runs from empty: Kolmogorov–Smirnov, 1 % error in all {COMPARISONS} \
             comparisons together; a difference could also mean that the runs are too short",
            slots(setting),
            STARTS.len() - 1
        ),
    }
    .found(
        format!("the least p-value is {least:.4}"),
        least,
        ERROR / COMPARISONS,
        Outcome::of_all(outcomes),
    );
    let table = Table {
        title: format!(
            "PI from bad starts: 5 slow and 5 fast servers, {runs} runs of {} slots each",
            slots(setting)
        ),
        columns: vec![
            "start",
            "policy",
            "batches",
            "load",
            "jobs at the start",
            "jobs at the end, mean",
            "p-value against empty",
        ],
        rows,
    };
    (claim, table)
}
