//! No stack is deeper than S1.

use super::super::{Books, Broken, Invariant, MachineView, Watched};
use crate::machine::outcome::MachineOutcome;

pub(in super::super) struct StackDepth {
    bound: u64,
}

impl StackDepth {
    pub(in super::super) fn of(watched: &Watched<'_>) -> Self {
        Self {
            bound: watched.measures.stack_depth,
        }
    }

    fn check(&self, books: &Books<'_>) -> Result<(), Broken> {
        let (deepest, processor) = books.stacks().deepest;
        if deepest <= self.bound {
            return Ok(());
        }
        Err(Broken::by(
            processor,
            format!(
                "a stack has had {deepest}, which is more than S1 = {}",
                self.bound
            ),
        ))
    }
}

impl Invariant for StackDepth {
    fn name(&self) -> &'static str {
        "the stack bound S1 (docs/waiting.md)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        self.check(books)
    }

    fn finished(&mut self, _outcome: &MachineOutcome, books: &Books<'_>) -> Result<(), Broken> {
        self.check(books)
    }
}
