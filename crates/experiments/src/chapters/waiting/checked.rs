//! Runs with every step checked.

use filch_sim::machine::{Costs, Machine, Rule, Scheduler};
use filch_workload::dag::Family;

use crate::chapters::{Scale, Setting};
use crate::values::{Claim, Outcome};

const FAMILIES: [&str; 8] = [
    "fib:13",
    "items:100:20:100",
    "halving:100:20:100",
    "nested:10:10:20:100",
    "deep:100:64:20:30",
    "list:80:20",
    "stairs:30:400:20",
    "uneven:200:20:500",
];

/// What waking and waiting cost: nothing, as usual, and much.
const COSTS: [Costs; 3] = [
    Costs {
        attempt: 1,
        wake: 0,
        patience: 0,
        start: 0,
    },
    Costs {
        attempt: 1,
        wake: 5,
        patience: 5,
        start: 5,
    },
    Costs {
        attempt: 3,
        wake: 20,
        patience: 10,
        start: 50,
    },
];

fn processors(scale: Scale) -> &'static [usize] {
    scale.pick(&[2, 8][..], &[2, 8, 32], &[2, 4, 8, 16, 32, 64])
}

fn repetitions(scale: Scale) -> usize {
    scale.pick(1, 2, 20)
}

/// How many runs [`claim`] makes.
pub(super) fn runs(scale: Scale) -> usize {
    FAMILIES.len() * Rule::ALL.len() * COSTS.len() * processors(scale).len() * repetitions(scale)
}

/// No run broke what its rule promises of every step.
pub(super) fn claim(setting: &Setting<'_>) -> Claim {
    let mut keys = Vec::new();
    for name in FAMILIES {
        let family: Family = name.parse().expect("a family");
        for rule in Rule::ALL {
            for costs in COSTS {
                for &processors in processors(setting.scale) {
                    let machine = Machine {
                        costs,
                        ..Machine::new(Scheduler::ForkJoin(rule), processors)
                    };
                    let runs = 0..repetitions(setting.scale) as u64;
                    keys.extend(runs.map(|run| (family, machine, run)));
                }
            }
        }
    }
    let checked = setting.runs(keys.len(), |at| {
        let (family, machine, run) = &keys[at as usize];
        machine.checked(
            &family.computation(),
            &family.measures(),
            setting.seed,
            *run,
        )
    });
    let steps: u64 = checked.iter().flatten().map(|run| run.time).sum();
    let broken = checked.iter().filter_map(|run| run.as_ref().err());
    let (count, first) = (broken.clone().count(), broken.clone().next());
    Claim {
        claim: "Each rule keeps at every step what it promises: only descendants on a waiting frame, \
                stacks within S1, busy leaves, frames within S1·P, at most P seats, no seat held in \
                vain for longer than the patience, no work lost"
            .to_owned(),
        stated: "docs/waiting.md",
        checked: format!("{} runs with every step checked", keys.len()),
        found: match first {
            None => format!("no violation in {steps} steps"),
            Some(violation) => violation.to_string(),
        },
        measured: Some(count as f64),
        bound: Some(0.0),
        outcome: Outcome::of(count == 0),
    }
}
