//! Each check can fail: schedulers that break one rule, and the check that notices.

use filch_random::{Purpose, Seed};
use filch_workload::dag::{Computation, Executed, Family, Unfold, Visit};
use rand::RngExt;
use std::collections::VecDeque;

use super::*;
use crate::machine::Machine;
use crate::machine::scheduler::Scheduler;

/// What a scheduler does wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    Sound,
    /// Goes on with the parent and leaves the child behind.
    ParentFirst,
    /// Steals from the bottom.
    StealsBottom,
    /// Pushes at the top.
    PushesTop,
    /// Puts enabled threads on the next processor's deque.
    EnablesElsewhere,
    /// Only one processor works in a step.
    OneAtATime,
    /// Now and then puts a vertex back that was assigned.
    PutsBack,
    /// Works on a thread in the middle of its deque.
    DigsDeep,
    /// Now and then a steal attempt fails though there is something to take.
    FailsFalsely,
    /// Loses a dollar.
    Embezzles,
}

/// A work-stealing machine with one rule broken.
struct Mutant<'a, 'b> {
    mutation: Mutation,
    processors: usize,
    checks: &'a mut Checks<'b>,
}

impl Visit for Mutant<'_, '_> {
    type Value = Result<MachineOutcome, Violation>;

    fn visit<U: Unfold>(self, mut computation: U) -> Self::Value {
        let Self {
            mutation,
            processors,
            checks,
        } = self;
        let mut rng = Seed::new(1).stream(Purpose::named("mutants"), 0, 0);
        let mut hands = vec![None; processors];
        hands[0] = Some(computation.root());
        let mut deques: Vec<VecDeque<ThreadId>> = vec![VecDeque::new(); processors];
        let mut outcome = MachineOutcome::default();
        let mut enabled = Vec::new();
        let mut done = false;
        while !done {
            outcome.time += 1;
            let shown = deques.iter().map(|deque| deque.iter().copied().collect());
            checks.begins(&MachineView {
                step: outcome.time,
                hands: &hands,
                deques: &shown.collect::<Vec<Deque>>(),
            })?;
            let mut worked = false;
            for processor in 0..processors {
                let Some(thread) = hands[processor] else {
                    let victim = rng.random_range(0..processors);
                    outcome.steal += 1;
                    checks.happened(&Event::Asked {
                        thief: processor,
                        victim,
                    });
                    hands[processor] = match mutation {
                        Mutation::FailsFalsely if rng.random_ratio(1, 2) => None,
                        Mutation::StealsBottom => deques[victim].pop_back(),
                        _ => deques[victim].pop_front(),
                    };
                    continue;
                };
                if mutation == Mutation::OneAtATime && worked {
                    outcome.idle += 1;
                    continue;
                }
                worked = true;
                if mutation == Mutation::PutsBack && rng.random_ratio(1, 4) {
                    deques[processor].push_back(thread);
                    hands[processor] = None;
                    outcome.idle += 1;
                    continue;
                }
                let executed = computation.execute(thread, &mut enabled);
                outcome.work += 1;
                let frame = match executed {
                    Executed::Spawns(child) => computation.frame(child),
                    _ => 0,
                };
                checks.happened(&Event::Worked {
                    processor,
                    thread,
                    executed,
                    frame,
                    enabled: &enabled,
                });
                let home = match mutation {
                    Mutation::EnablesElsewhere => (processor + 1) % processors,
                    _ => processor,
                };
                deques[home].extend(enabled.drain(..));
                let deque = &mut deques[processor];
                let mut push = |thread| match mutation {
                    Mutation::PushesTop => deque.push_front(thread),
                    _ => deque.push_back(thread),
                };
                hands[processor] = match executed {
                    Executed::Continues => Some(thread),
                    Executed::Spawns(child) if mutation == Mutation::ParentFirst => {
                        push(child);
                        Some(thread)
                    }
                    Executed::Spawns(child) => {
                        push(thread);
                        Some(child)
                    }
                    Executed::Stalls => deques[processor].pop_back(),
                    Executed::Dies(parent) => {
                        done = parent.is_none();
                        deques[processor].pop_back()
                    }
                };
                let deque = &mut deques[processor];
                if mutation == Mutation::DigsDeep
                    && deque.len() > 2
                    && matches!(executed, Executed::Spawns(_))
                {
                    let middle = deque[deque.len() / 2];
                    let hand = hands[processor].replace(middle);
                    let place = deque.len() / 2;
                    deque[place] = hand.expect("it has just spawned");
                }
            }
        }
        outcome.work -= u64::from(mutation == Mutation::Embezzles);
        outcome.peak_space = u64::MAX;
        checks.finished(&outcome)?;
        Ok(outcome)
    }
}

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

/// What a mutant does under one check alone.
fn run(
    name: &str,
    processors: usize,
    mutation: Mutation,
    check: fn(&Watched<'_>) -> Box<dyn Invariant>,
) -> Result<MachineOutcome, Violation> {
    let family: Family = name.parse().unwrap();
    let watched = watched(&family, processors);
    let mut checks = Checks::of(&watched, vec![check(&watched)]);
    checks.books.enabling = Some(Enabling::of(watched.root.0, watched.measures.span));
    let computation: Computation = family.computation();
    computation.visit(Mutant {
        mutation,
        processors,
        checks: &mut checks,
    })
}

/// The check accuses the mutant, and not the sound machine.
#[track_caller]
fn caught(
    name: &str,
    processors: usize,
    mutation: Mutation,
    check: fn(&Watched<'_>) -> Box<dyn Invariant>,
    words: &str,
) {
    if let Err(violation) = run(name, processors, Mutation::Sound, check) {
        panic!("the sound machine is accused: {violation}");
    }
    let violation = run(name, processors, mutation, check).expect_err("the mutant is accused");
    let message = violation.to_string();
    assert!(message.contains(words), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

fn lemma4(_: &Watched<'_>) -> Box<dyn Invariant> {
    Box::new(lemma4::Lemma4)
}

fn structural(_: &Watched<'_>) -> Box<dyn Invariant> {
    Box::new(structural::Structural)
}

fn weights(_: &Watched<'_>) -> Box<dyn Invariant> {
    Box::new(weights::Weights)
}

#[test]
fn lemma_4_wants_parents_above_children() {
    let parents = "is not the parent of";
    caught("fib:10", 4, Mutation::ParentFirst, lemma4, parents);
    caught("fib:10", 4, Mutation::StealsBottom, lemma4, parents);
    caught("fib:10", 4, Mutation::PushesTop, lemma4, parents);
    let step = "Lemma 4 (BL99 section 4) is violated at step";
    caught("fib:10", 4, Mutation::EnablesElsewhere, lemma4, step);
    let thief = "a thief has threads of its own";
    caught("fib:10", 1, Mutation::PutsBack, lemma4, thief);
}

/// A thread in the middle of a deque that was worked on, though the chain of parents is unbroken.
#[test]
fn lemma_4_wants_only_the_top_worked_on() {
    let family: Family = "fib:6".parse().unwrap();
    let watched = watched(&family, 1);
    struct Watch<'a, 'b>(&'a mut Checks<'b>, bool);
    impl Visit for Watch<'_, '_> {
        type Value = Result<(), Violation>;
        fn visit<U: Unfold>(self, mut computation: U) -> Self::Value {
            let root = computation.root();
            let mut enabled = Vec::new();
            let mut step = |thread| {
                let executed = computation.execute(thread, &mut enabled);
                self.0.happened(&Event::Worked {
                    processor: 0,
                    thread,
                    executed,
                    frame: 1,
                    enabled: &[],
                });
                match executed {
                    Executed::Spawns(child) => child,
                    other => panic!("{other:?}"),
                }
            };
            let child = step(root);
            let grandchild = step(child);
            let lowest = step(grandchild);
            if self.1 {
                // The child spawns again: it was worked on since it spawned the grandchild.
                step(child);
            }
            self.0.begins(&MachineView {
                step: 4,
                hands: &[Some(lowest)],
                deques: &[[root, child, grandchild].into_iter().collect()],
            })
        }
    }
    let check = || Checks::of(&watched, vec![Box::new(lemma4::Lemma4)]);
    assert!(
        family
            .computation()
            .visit(Watch(&mut check(), false))
            .is_ok()
    );
    let violation = family.computation().visit(Watch(&mut check(), true));
    assert_eq!(
        violation.unwrap_err().to_string(),
        "Lemma 4 (BL99 section 4) is violated at step 4 by processor 1, which works on t4 with the \
         deque [t3, t2, t1] from bottom to top: t2 was worked on since it spawned t3"
    );
}

#[test]
fn busy_leaves_wants_a_processor_at_every_leaf() {
    let check = |_: &Watched<'_>| -> Box<dyn Invariant> {
        Box::new(busy_leaves::BusyLeavesProperty::default())
    };
    let leaf = "no processor works on the leaf";
    caught("fib:10", 4, Mutation::ParentFirst, check, leaf);
    caught("fib:10", 4, Mutation::PutsBack, check, leaf);
}

#[test]
fn busy_leaves_wants_one_processor_for_a_thread() {
    let family: Family = "fib:3".parse().unwrap();
    let watched = watched(&family, 2);
    let mut checks = Checks::busy_leaves(&watched);
    checks
        .invariants
        .retain(|invariant| invariant.name().starts_with("the busy-leaves"));
    let violation = checks.begins(&MachineView {
        step: 1,
        hands: &[Some(watched.root.0); 2],
        deques: &[],
    });
    let message = violation.unwrap_err().to_string();
    assert!(
        message.contains("by processor 2") && message.contains("works on t1 too"),
        "{message}"
    );
}

#[test]
fn lemma_7_wants_every_dollar() {
    let check =
        |watched: &Watched<'_>| -> Box<dyn Invariant> { Box::new(buckets::Buckets::of(watched)) };
    let dollars = "dollars are in the WORK bucket, and there are 441 instructions";
    caught("fib:10", 4, Mutation::Embezzles, check, dollars);
}

#[test]
fn the_structural_lemma_wants_ancestors() {
    let parent = "the designated parent of";
    caught("fib:10", 4, Mutation::PushesTop, structural, parent);
    caught("fib:10", 4, Mutation::DigsDeep, structural, parent);
}

#[test]
fn the_corollary_wants_growing_weights() {
    let weighs = "and no more than what is below";
    caught("fib:10", 4, Mutation::PushesTop, weights, weighs);
    caught("fib:10", 4, Mutation::DigsDeep, weights, weighs);
}

/// A span that is not that of the computation is noticed as well.
#[test]
fn the_corollary_wants_depths_within_the_span() {
    let family: Family = "chain:9".parse().unwrap();
    let watched = watched(&family, 1);
    let mut checks = Checks::of(&watched, vec![Box::new(weights::Weights)]);
    checks.books.enabling = Some(Enabling::of(watched.root.0, 8));
    let done = family.computation().visit(Mutant {
        mutation: Mutation::Sound,
        processors: 1,
        checks: &mut checks,
    });
    let message = done.unwrap_err().to_string();
    assert!(
        message.contains("deeper in the enabling tree than the span"),
        "{message}"
    );
}

#[test]
fn top_heavy_deques_want_weight_at_the_top() {
    let check = |_: &Watched<'_>| -> Box<dyn Invariant> { Box::new(top_heavy::TopHeavy) };
    let top = "the top vertex has less than 3/4 of the potential";
    caught("fib:10", 4, Mutation::PushesTop, check, top);
}

#[test]
fn the_potential_wants_never_to_rise() {
    let check =
        |_: &Watched<'_>| -> Box<dyn Invariant> { Box::new(potential::Potential::default()) };
    caught(
        "chain:50",
        2,
        Mutation::PutsBack,
        check,
        "the total potential has risen",
    );
}

#[test]
fn a_vertex_wants_to_lose_by_being_assigned_or_executed() {
    let check =
        |_: &Watched<'_>| -> Box<dyn Invariant> { Box::new(assignment::Assignment::default()) };
    let less = "executed ones less than 1/3";
    caught("chain:50", 2, Mutation::PutsBack, check, less);
    caught("tree:6:3", 8, Mutation::OneAtATime, check, less);
}

#[test]
fn workers_with_empty_deques_want_to_execute() {
    let check = |_: &Watched<'_>| -> Box<dyn Invariant> { Box::new(hood::Hood::default()) };
    let third = "by less than a third of what they held";
    caught("fib:10", 4, Mutation::OneAtATime, check, third);
    caught("chain:50", 2, Mutation::PutsBack, check, third);
}

/// An attempt that fails though the top vertex stays: the lemma on P steal attempts does not hold.
#[test]
fn attempts_want_to_take_the_top() {
    let check = |_: &Watched<'_>| -> Box<dyn Invariant> { Box::new(targets::Targets::default()) };
    let half = "less than half of the potential of those asked";
    caught("fib:10", 4, Mutation::FailsFalsely, check, half);
    caught("fib:10", 4, Mutation::StealsBottom, check, half);
}

/// Runs a real scheduler under a check that it does not promise.
fn accused(
    name: &str,
    machine: Scheduler,
    processors: usize,
    check: fn(&Watched<'_>) -> Box<dyn Invariant>,
) -> String {
    let family: Family = name.parse().unwrap();
    let watched = watched(&family, processors);
    let done =
        Machine::new(machine, processors).watched(&family.computation(), Seed::new(1), 0, |_| {
            Checks::of(&watched, vec![check(&watched)])
        });
    match done {
        Err(violation) => violation.to_string(),
        Ok((outcome, _)) => panic!("{name}: {outcome:?}"),
    }
}

/// Breadth first needs more than S1·P, and leaves are left alone.
#[test]
fn greedy_alone_promises_no_space() {
    let space = accused("tree:6:1", Scheduler::Greedy, 2, |watched| {
        Box::new(space::Space::of(watched))
    });
    assert!(space.contains("space 15 is more than 14"), "{space}");
    let leaves = accused("tree:6:1", Scheduler::Greedy, 2, |_| {
        Box::new(busy_leaves::BusyLeavesProperty::default())
    });
    assert!(
        leaves.contains("no processor works on the leaf"),
        "{leaves}"
    );
}

/// Thieves that fail are not greedy.
#[test]
fn stealing_is_not_greedy() {
    let message = accused("tree:6:1", Scheduler::Stealing, 8, |_| {
        Box::new(greedy::Greediness)
    });
    assert!(
        message.contains("threads are ready for 8 processors, of which"),
        "{message}"
    );
}

#[test]
fn theorem_1_wants_its_time() {
    let check =
        |watched: &Watched<'_>| -> Box<dyn Invariant> { Box::new(greedy::Time::of(watched)) };
    let violation = run("tree:6:3", 8, Mutation::OneAtATime, check).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "the greedy time bound (BL99 Theorem 1) is violated: 444 steps, with work 444, span 21 and \
         8 processors"
    );
}
