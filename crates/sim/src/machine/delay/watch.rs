//! Watching a run for its rounds, critical instructions and delay sequence.

use filch_workload::dag::Dag;

use super::augmented::Augmented;
use super::critical::Critical;
use super::rounds::{Rounds, StealRound};
use super::sequence::DelaySequence;
use crate::machine::deque::Deque;
use crate::machine::observe::{Event, MachineView, Observer};
use crate::machine::outcome::MachineOutcome;
use crate::machine::violation::Violation;

/// Records what BL99 section 6 speaks of while work stealing runs a computation that is written
/// down, and checks it in every step.
///
/// At the beginning of each step: every critical instruction is the next one of a ready thread, and
/// at most one thread is above it in its deque, which follows from Lemma 4. In the end: rounds have
/// fewer than 4·P attempts, and the delay sequence keeps to Definition 8 and inequality 5.
#[derive(Clone, Debug)]
pub struct Delays<'a> {
    dag: &'a Dag,
    augmented: &'a Augmented,
    critical: Critical,
    rounds: Rounds,
    /// The next instruction of each thread.
    next: Vec<usize>,
    /// The step in which each instruction was executed.
    executed: Vec<u64>,
    step: u64,
    /// A critical instruction when the round began.
    observed: Option<usize>,
    /// The rounds of which one critical instruction was observed from the beginning.
    pub observed_rounds: u64,
    /// Those of them at whose end it had not been executed.
    pub survived: u64,
    /// The delay sequence, when the run is over.
    pub sequence: Option<DelaySequence>,
}

impl<'a> Delays<'a> {
    /// Of a computation on so many processors.
    pub fn of(dag: &'a Dag, augmented: &'a Augmented, processors: usize) -> Self {
        let first = |thread| dag.instructions_of(thread).start;
        Self {
            dag,
            augmented,
            critical: Critical::of(augmented),
            rounds: Rounds::of(processors),
            next: (0..dag.threads()).map(first).collect(),
            executed: vec![0; dag.instructions().len()],
            step: 0,
            observed: None,
            observed_rounds: 0,
            survived: 0,
            sequence: None,
        }
    }

    /// The whole rounds so far.
    pub fn rounds(&self) -> &[StealRound] {
        &self.rounds.over
    }

    /// The most attempts in one step.
    pub fn most_in_step(&self) -> u64 {
        self.rounds.most_in_step
    }

    fn violation(&self, processor: Option<usize>, what: String) -> Violation {
        Violation {
            invariant: "the delay sequence (BL99 section 6)",
            step: self.step,
            processor: processor.map(|processor| processor + 1),
            deque: Vec::new(),
            what,
        }
    }

    /// The step before is over; `found` is a critical instruction now.
    fn close(&mut self, found: Option<usize>) {
        let is_over = self.step > 0 && self.rounds.close(self.step);
        if is_over && let Some(observed) = self.observed {
            self.observed_rounds += 1;
            self.survived += u64::from(!self.critical.was_executed(observed));
        }
        if is_over || self.step == 0 {
            self.observed = found;
        }
    }

    /// Finds the critical instructions in hands and deques; returns the one with the most below it.
    fn locate(&self, view: &MachineView<'_>) -> Result<Option<usize>, Violation> {
        let (mut found, mut count) = (None, 0);
        for (processor, (hand, deque)) in view.hands.iter().zip(view.deques).enumerate() {
            let threads = hand.iter().copied().chain(Deque::from_bottom(deque));
            for (place, thread) in threads.enumerate() {
                let at = self.next[thread.index()];
                if !self.critical.is_critical(at) {
                    continue;
                }
                count += 1;
                let above = deque.len() + usize::from(hand.is_some()) - place - 1;
                if above > 1 {
                    let name = self.dag.name_of(at);
                    let what = format!("{name} is critical with {above} threads above it");
                    return Err(self.violation(Some(processor), what));
                }
                if found.is_none_or(|(most, _)| place > most) {
                    found = Some((place, at));
                }
            }
        }
        if count != self.critical.count {
            let what = format!(
                "{} instructions are critical, {count} ready",
                self.critical.count
            );
            return Err(self.violation(None, what));
        }
        Ok(found.map(|(_, at)| at))
    }
}

impl Observer for Delays<'_> {
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        let found = self.locate(view)?;
        self.close(found);
        self.step = view.step;
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        match *event {
            Event::Worked { thread, .. } => {
                let next = &mut self.next[thread.index()];
                let at = *next;
                *next += 1;
                self.executed[at] = self.step;
                self.critical.execute(at, self.step, self.augmented);
            }
            Event::Asked { .. } => self.rounds.ask(),
            _ => {}
        }
    }

    fn finished(&mut self, _outcome: &MachineOutcome) -> Result<(), Violation> {
        self.close(None);
        if let Some(flaw) = self.rounds.flaw() {
            return Err(self.violation(None, flaw));
        }
        let root = self.dag.instructions_of(self.dag.root_thread());
        let last = root.end - 1;
        let (augmented, rounds) = (self.augmented, &self.rounds.over);
        let sequence = DelaySequence::of(augmented, &self.executed, last, rounds);
        let flaw = sequence.flaw(augmented, &self.executed, &self.critical.since);
        self.sequence = Some(sequence);
        match flaw {
            Some(what) => Err(self.violation(None, what.to_owned())),
            None => Ok(()),
        }
    }
}
