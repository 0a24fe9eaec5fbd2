//! BL99, Theorem 5, for stacks: frames of threads that have begun take at most S1·P.

use super::super::{Books, Broken, Invariant, MachineView, Watched};
use crate::machine::outcome::MachineOutcome;

pub(in super::super) struct StackSpace {
    bound: u128,
}

impl StackSpace {
    pub(in super::super) fn of(watched: &Watched<'_>) -> Self {
        Self {
            bound: u128::from(watched.measures.stack_depth) * watched.processors as u128,
        }
    }

    fn check(&self, books: &Books<'_>) -> Result<(), Broken> {
        let (live, bound) = (books.stacks().most_live, self.bound);
        if u128::from(live) <= bound {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "all stacks together have had {live}, which is more than {bound}"
        )))
    }
}

impl Invariant for StackSpace {
    fn name(&self) -> &'static str {
        "the space bound S1·P on stacks (BL99 Theorem 5, docs/waiting.md)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        self.check(books)
    }

    fn finished(&mut self, outcome: &MachineOutcome, books: &Books<'_>) -> Result<(), Broken> {
        self.check(books)?;
        let (says, seen) = (outcome.peak_space, books.stacks().most_live);
        if says == seen {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "the machine says that {says} was its most, {seen} was seen"
        )))
    }
}
