//! BL99's rules on computations that are strict but not fully, beside a plain second program.

use filch_policy::steal::Victim;
use filch_random::Seed;
use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::{Executed, Family, ThreadId, Unfold, Visit};

/// Two processors that steal from one another: nothing is drawn, so the time is a number.
struct PlainPair;

impl Visit for PlainPair {
    type Value = u64;

    fn visit<U: Unfold>(self, mut computation: U) -> u64 {
        let mut hands: [Option<ThreadId>; 2] = [Some(computation.root()), None];
        // From top to bottom.
        let mut deques: [Vec<ThreadId>; 2] = [Vec::new(), Vec::new()];
        let mut enabled = Vec::new();
        let mut time = 0;
        loop {
            time += 1;
            let asks = hands.map(|hand| hand.is_none());
            for processor in 0..2 {
                let Some(thread) = hands[processor] else {
                    continue;
                };
                enabled.clear();
                let executed = computation.execute(thread, &mut enabled);
                deques[processor].extend(enabled.iter().rev());
                match executed {
                    Executed::Continues => {}
                    Executed::Spawns(child) => {
                        deques[processor].push(thread);
                        hands[processor] = Some(child);
                    }
                    Executed::Dies(None) => return time,
                    Executed::Stalls | Executed::Dies(_) => {
                        hands[processor] = deques[processor].pop();
                    }
                }
            }
            for thief in 0..2 {
                let victim = &mut deques[1 - thief];
                if asks[thief] && !victim.is_empty() {
                    hands[thief] = Some(victim.remove(0));
                }
            }
        }
    }
}

#[test]
fn two_processors_are_as_the_rules_say() {
    let mut names: Vec<String> = (0..40)
        .map(|seed| format!("strict:{}:{seed}", 10 + seed))
        .collect();
    names.extend(
        [
            "kstrict:2:6:3",
            "kstrict:3:7:1",
            "kstrict:6:6:4",
            "figure1",
            "fib:9",
        ]
        .map(String::from),
    );
    for name in names {
        let family: Family = name.parse().unwrap();
        let machine = Machine {
            victim: Victim::UniformOther,
            ..Machine::new(Scheduler::Stealing, 2)
        };
        let computation = family.computation();
        let found = machine.run(&computation, Seed::new(1), 0).time;
        assert_eq!(found, computation.visit(PlainPair), "{name}");
    }
}

/// On one processor the serial execution: T1 steps and S1 space, and nothing is stolen.
#[test]
fn one_processor_is_serial() {
    for name in ["strict:200:1", "kstrict:2:7:3", "kstrict:5:8:1"] {
        let family: Family = name.parse().unwrap();
        let (computation, measures) = (family.computation(), family.measures());
        Scheduler::Stealing.accepts(&measures).unwrap();
        let machine = Machine::new(Scheduler::Stealing, 1);
        let found = machine
            .checked(&computation, &measures, Seed::new(1), 0)
            .unwrap();
        assert_eq!(
            (found.time, found.peak_space),
            (measures.work, measures.stack_depth)
        );
    }
}

/// Theorems of Fatourou and Spirakis, with constants that are ours: on none of 600 runs does the
/// time exceed T1/P + 4·k·Tinf, or the space 2·S1·P.
#[test]
fn within_the_shape_of_the_bound() {
    for (name, k) in [
        ("kstrict:2:8:4", 2),
        ("kstrict:4:8:4", 4),
        ("kstrict:8:8:4", 8),
    ] {
        let family: Family = name.parse().unwrap();
        let (computation, measures) = (family.computation(), family.measures());
        assert_eq!(measures.join_distance, Some(k));
        for processors in [2, 4, 16, 64] {
            let machine = Machine::new(Scheduler::Stealing, processors);
            for run in 0..50 {
                let found = machine
                    .checked(&computation, &measures, Seed::new(2), run)
                    .unwrap();
                let most = measures.work / processors as u64 + 4 * k * measures.span;
                assert!(found.time <= most, "{name} {processors}: {}", found.time);
                let space = 2 * measures.stack_depth * processors as u64;
                assert!(
                    found.peak_space <= space,
                    "{name} {processors}: {}",
                    found.peak_space
                );
            }
        }
    }
}
