//! Each check can fail: machines whose rule does not keep the promise, and events that no machine
//! should produce.

use filch_random::Seed;
use filch_workload::dag::{Executed, Family, ThreadId, Unfold, Visit};

use super::super::{Checks, Event, Invariant, MachineView, Observer, Watched};
use super::*;
use crate::machine::outcome::MachineOutcome;
use crate::machine::{Machine, Reach, Scheduler, Violation};

const HELP_ANY: Rule = Rule::HelpAny;
const LEAPFROG: Rule = Rule::Leapfrog(Reach::Whole);
const PASSED: Rule = Rule::HandOver(WayBack::Passed);
const EXTRA: Rule = Rule::HandOver(WayBack::Extra);
const OWN: Rule = Rule::HandOver(WayBack::Own);

type Check = fn(&Watched<'_>) -> Box<dyn Invariant>;

fn watched(family: &Family, processors: usize) -> Watched<'static> {
    struct Root;
    impl Visit for Root {
        type Value = (ThreadId, u64);
        fn visit<U: Unfold>(self, computation: U) -> (ThreadId, u64) {
            (computation.root(), computation.frame(computation.root()))
        }
    }
    Watched {
        root: family.computation().visit(Root),
        names: None,
        measures: family.measures(),
        processors,
    }
}

fn checks<'a>(watched: &Watched<'a>, check: Check) -> Checks<'a> {
    let mut checks = Checks::of(watched, vec![check(watched)]);
    checks.books.stacks = Some(StackLedger::default());
    checks
}

fn run(name: &str, rule: Rule, processors: usize, check: Check) -> Result<(), Violation> {
    let family: Family = name.parse().unwrap();
    let watched = watched(&family, processors);
    let machine = Machine::new(Scheduler::ForkJoin(rule), processors);
    machine
        .watched(&family.computation(), Seed::new(1), 0, |_| {
            checks(&watched, check)
        })
        .map(|_| ())
}

/// The check accuses a machine with the first rule, and none with the second.
#[track_caller]
fn caught(name: &str, processors: usize, [guilty, sound]: [Rule; 2], check: Check, words: &str) {
    if let Err(violation) = run(name, sound, processors, check) {
        panic!("the sound machine is accused: {violation}");
    }
    let violation = run(name, guilty, processors, check).expect_err("the other is accused");
    let message = violation.to_string();
    assert!(message.contains(words), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn strangers_on_a_stack_are_noticed() {
    let check: Check = |_| Box::new(Descendants);
    for sound in [LEAPFROG, PASSED, EXTRA, OWN] {
        let rules = [HELP_ANY, sound];
        caught("items:40:10:30", 4, rules, check, "which is no ancestor");
    }
}

#[test]
fn stacks_deeper_than_s1_are_noticed() {
    let check: Check = |watched| Box::new(StackDepth::of(watched));
    let words = "which is more than S1 = 66";
    caught("deep:100:64:100:150", 4, [HELP_ANY, PASSED], check, words);
}

/// A worker that waits for the seat that it had is a leaf that no processor works on.
#[test]
fn space_beyond_the_bound_is_noticed() {
    let check: Check = |watched| Box::new(StackSpace::of(watched));
    let words = "which is more than 264";
    for guilty in [HELP_ANY, OWN] {
        caught("deep:100:64:100:150", 4, [guilty, PASSED], check, words);
    }
}

#[test]
fn idle_leaves_are_noticed() {
    let check: Check = |_| Box::new(BusyStacks);
    let words = "frames without a begun child";
    for guilty in [HELP_ANY, OWN] {
        for sound in [LEAPFROG, PASSED, EXTRA] {
            caught("items:40:40:60", 4, [guilty, sound], check, words);
        }
    }
}

#[test]
fn extra_seats_are_noticed() {
    let check: Check = |watched| Box::new(Seats::of(watched));
    let words = "5 workers have had a seat at once, on 4 processors";
    for sound in [HELP_ANY, LEAPFROG, PASSED, OWN] {
        caught("items:40:40:60", 4, [EXTRA, sound], check, words);
    }
}

#[test]
fn seats_that_are_held_in_vain_are_noticed() {
    let check: Check = |watched| {
        let processors = watched.processors;
        Box::new(Stranded::of(&ForkJoin {
            processors,
            rule: PASSED,
            victim: filch_policy::steal::Victim::Uniform,
            costs: Default::default(),
            workers: usize::MAX,
        }))
    };
    let words = "its worker has waited for 6 steps while tasks were ready";
    for sound in [PASSED, OWN] {
        caught("items:40:40:90", 4, [LEAPFROG, sound], check, words);
    }
}

/// What a check says of these events, after which a step begins and the run ends.
fn told(check: Check, events: &[Event<'_>]) -> Result<(), Violation> {
    let family: Family = "fib:3".parse().unwrap();
    let watched = watched(&family, 2);
    let mut checks = checks(&watched, check);
    for event in events {
        checks.happened(event);
    }
    checks.begins(&MachineView {
        step: 1,
        hands: &[None; 2],
        deques: &[],
    })?;
    checks.finished(&MachineOutcome::default())
}

const ROOT: usize = 0;

fn sat(processor: usize, worker: usize) -> Event<'static> {
    Event::Sat { processor, worker }
}

fn began(processor: usize, thread: usize) -> Event<'static> {
    Event::Began {
        processor,
        thread: ThreadId::new(thread),
        frame: 1,
    }
}

fn worked(processor: usize, thread: usize, executed: Executed) -> Event<'static> {
    Event::Worked {
        processor,
        thread: ThreadId::new(thread),
        executed,
        frame: 1,
        enabled: &[],
    }
}

#[test]
fn impossible_events_are_noticed() {
    let check: Check = |watched| Box::new(Seats::of(watched));
    let works = |processor| worked(processor, ROOT, Executed::Continues);
    let begins = [sat(0, 0), began(0, ROOT)];
    assert_eq!(told(check, &[begins[0], begins[1], works(0)]), Ok(()));
    let other = Event::Left {
        processor: 0,
        worker: 1,
    };
    for (last, words) in [
        (works(1), "not the newest on the stack"),
        (sat(0, 1), "in a seat that is taken"),
        (sat(1, 0), "that has a seat already"),
        (other, "a seat that it does not have"),
        (began(1, 1), "without a worker"),
        (began(0, ROOT), "begins twice"),
    ] {
        let violation = told(check, &[begins[0], begins[1], last]).unwrap_err();
        assert!(violation.to_string().contains(words), "{violation}");
    }
}

#[test]
fn lost_work_is_noticed() {
    let check: Check = |_| Box::new(Completeness);
    let begins = [sat(0, 0), began(0, ROOT)];
    let ends = worked(0, ROOT, Executed::Dies(None));
    assert_eq!(told(check, &[begins[0], begins[1], ends]), Ok(()));
    let message = told(check, &begins).unwrap_err().to_string();
    assert!(message.contains("frames of size 1 are left"), "{message}");
    let spawns = worked(0, ROOT, Executed::Spawns(ThreadId::new(1)));
    let forgets = [begins[0], begins[1], spawns, ends];
    let message = told(check, &forgets).unwrap_err().to_string();
    assert!(message.contains("1 threads have not begun"), "{message}");
}

/// The names of what is promised are told apart.
#[test]
fn every_check_has_a_name_of_its_own() {
    let family: Family = "fib:3".parse().unwrap();
    let watched = watched(&family, 2);
    let machine = ForkJoin {
        processors: 2,
        rule: PASSED,
        victim: filch_policy::steal::Victim::Uniform,
        costs: Default::default(),
        workers: usize::MAX,
    };
    let checks = Checks::fork_join(&watched, &machine);
    let mut names: Vec<_> = checks.invariants.iter().map(|check| check.name()).collect();
    assert_eq!(names.len(), 8);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 8);
}
