//! The papers' invariants, checked while a machine runs.
//!
//! One file holds one invariant. Each sees what happens and how every step begins, keeps its own
//! books, and does not trust the machine.

mod assignment;
mod buckets;
mod busy_leaves;
mod fork_join;
mod greedy;
mod hood;
mod lemma4;
mod potential;
mod round;
mod space;
mod structural;
mod targets;
mod top_heavy;
mod weights;

#[cfg(test)]
mod mutants;

use filch_workload::dag::{Dag, Measures, ThreadId};

use super::deque::Deque;
use super::enabling::Enabling;
use super::ledger::Ledger;
use super::observe::{Event, MachineView, Observer};
use super::outcome::MachineOutcome;
use super::powers::Powers;
use super::stack_ledger::StackLedger;
use super::violation::Violation;

/// What is wrong, and on which processor.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Broken {
    processor: Option<usize>,
    what: String,
}

impl Broken {
    fn by(processor: usize, what: impl Into<String>) -> Self {
        Self {
            processor: Some(processor),
            what: what.into(),
        }
    }

    fn somewhere(what: impl Into<String>) -> Self {
        Self {
            processor: None,
            what: what.into(),
        }
    }
}

/// What an invariant may look at.
struct Books<'a> {
    ledger: Ledger<'a>,
    enabling: Option<Enabling>,
    stacks: Option<StackLedger>,
}

impl Books<'_> {
    fn enabling(&self) -> &Enabling {
        self.enabling
            .as_ref()
            .expect("kept for the schedulers on vertices")
    }

    fn stacks(&self) -> &StackLedger {
        self.stacks.as_ref().expect("kept for fork-join machines")
    }
}

/// Something that a paper promises of every step, or of a whole run.
trait Invariant {
    /// What is promised, and where.
    fn name(&self) -> &'static str;

    /// A step begins.
    fn begins(&mut self, _view: &MachineView<'_>, _books: &Books<'_>) -> Result<(), Broken> {
        Ok(())
    }

    /// Something was done in this step.
    fn happened(&mut self, _event: &Event<'_>) {}

    /// The run is over.
    fn finished(&mut self, _outcome: &MachineOutcome, _books: &Books<'_>) -> Result<(), Broken> {
        Ok(())
    }
}

/// Everything that a scheduler promises about a computation.
pub struct Checks<'a> {
    books: Books<'a>,
    invariants: Vec<Box<dyn Invariant>>,
}

/// The computation to be watched.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// Its root, and the size of the root's frame.
    pub root: (ThreadId, u64),
    /// Its names, if it has any.
    pub names: Option<&'a Dag>,
    /// What is known about it.
    pub measures: Measures,
    /// P.
    pub processors: usize,
}

impl<'a> Checks<'a> {
    fn of(watched: &Watched<'a>, invariants: Vec<Box<dyn Invariant>>) -> Self {
        let (root, frame) = watched.root;
        Self {
            books: Books {
                ledger: Ledger::new(root, frame, watched.names),
                enabling: None,
                stacks: None,
            },
            invariants,
        }
    }

    /// Theorem 1.
    pub fn greedy(watched: &Watched<'a>) -> Self {
        let invariants: Vec<Box<dyn Invariant>> = vec![
            Box::new(greedy::Greediness),
            Box::new(greedy::Time::of(watched)),
            Box::new(buckets::Buckets::of(watched)),
        ];
        Self::of(watched, invariants)
    }

    /// Theorem 3: greedy, busy leaves, linear space.
    pub fn busy_leaves(watched: &Watched<'a>) -> Self {
        let mut checks = Self::greedy(watched);
        checks
            .invariants
            .push(Box::new(busy_leaves::BusyLeavesProperty::default()));
        checks.invariants.push(Box::new(space::Space::of(watched)));
        checks
    }

    /// Lemma 4, Theorem 5, Lemma 7. Of a computation that is strict but not fully, BL99 promises
    /// Lemma 7 alone.
    pub fn stealing(watched: &Watched<'a>) -> Self {
        if !watched.measures.fully_strict {
            return Self::sharing(watched);
        }
        let invariants: Vec<Box<dyn Invariant>> = vec![
            Box::new(lemma4::Lemma4),
            Box::new(busy_leaves::BusyLeavesProperty::default()),
            Box::new(space::Space::of(watched)),
            Box::new(buckets::Buckets::of(watched)),
        ];
        Self::of(watched, invariants)
    }

    /// Lemma 7: it holds of any machine.
    pub fn sharing(watched: &Watched<'a>) -> Self {
        Self::of(watched, vec![Box::new(buckets::Buckets::of(watched))])
    }

    /// The structural lemma of ABP01 and what follows from it.
    pub fn vertex_stealing(watched: &Watched<'a>) -> Self {
        let invariants: Vec<Box<dyn Invariant>> = vec![
            Box::new(structural::Structural),
            Box::new(weights::Weights),
            Box::new(top_heavy::TopHeavy),
            Box::new(potential::Potential::default()),
            Box::new(assignment::Assignment::default()),
            Box::new(hood::Hood::default()),
            Box::new(targets::Targets::default()),
            Box::new(buckets::Buckets::of(watched)),
        ];
        let mut checks = Self::of(watched, invariants);
        checks.books.enabling = Some(Enabling::of(watched.root.0, watched.measures.span));
        checks
    }

    fn violation(&self, at: usize, broken: Broken, view: Option<&MachineView<'_>>) -> Violation {
        let name = |thread: ThreadId| self.books.ledger.name(thread);
        let deque = match (view, broken.processor) {
            (Some(view), Some(processor)) => {
                let hand = view.hands[processor].map_or("nothing".to_owned(), name);
                let deque = view
                    .deques
                    .get(processor)
                    .into_iter()
                    .flat_map(Deque::from_bottom);
                std::iter::once(hand).chain(deque.map(name)).collect()
            }
            _ => Vec::new(),
        };
        Violation {
            invariant: self.invariants[at].name(),
            step: view.map_or(0, |view| view.step),
            processor: broken.processor.map(|processor| processor + 1),
            deque,
            what: broken.what,
        }
    }
}

impl Observer for Checks<'_> {
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        for at in 0..self.invariants.len() {
            if let Err(broken) = self.invariants[at].begins(view, &self.books) {
                return Err(self.violation(at, broken, Some(view)));
            }
        }
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        self.books.ledger.note(event);
        if let Some(enabling) = &mut self.books.enabling {
            enabling.note(event);
        }
        if let Some(stacks) = &mut self.books.stacks {
            stacks.note(event);
        }
        for invariant in &mut self.invariants {
            invariant.happened(event);
        }
    }

    fn finished(&mut self, outcome: &MachineOutcome) -> Result<(), Violation> {
        for at in 0..self.invariants.len() {
            if let Err(broken) = self.invariants[at].finished(outcome, &self.books) {
                return Err(self.violation(at, broken, None));
            }
        }
        Ok(())
    }
}
