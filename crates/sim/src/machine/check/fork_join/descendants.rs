//! Leapfrogging: on top of a frame that waits runs only what is below it.
//!
//! Two things follow. All frames of a stack lie on one path of the spawn tree, so that no stack is
//! deeper than S1. And a lock that is held across a join meets only the children of that join.

use super::super::{Books, Broken, Invariant, MachineView};
use crate::machine::outcome::MachineOutcome;

pub(in super::super) struct Descendants;

impl Invariant for Descendants {
    fn name(&self) -> &'static str {
        "that a waiting worker runs only descendants (docs/waiting.md)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let Some((processor, thread, under)) = books.stacks().stranger else {
            return Ok(());
        };
        let [thread, under] = [thread, under].map(|thread| books.ledger.name(thread));
        Err(Broken::by(
            processor,
            format!("{thread} has begun on top of {under}, which is no ancestor"),
        ))
    }

    fn finished(&mut self, _outcome: &MachineOutcome, books: &Books<'_>) -> Result<(), Broken> {
        match books.stacks().stranger {
            None => Ok(()),
            Some((processor, ..)) => Err(Broken::by(processor, "a stranger has begun last")),
        }
    }
}
