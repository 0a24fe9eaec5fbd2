//! BL99, Theorem 1: what greedy is, and how fast.

use super::{Books, Broken, Invariant, MachineView, Watched};
use crate::machine::outcome::MachineOutcome;

/// In a step, as many instructions are executed as are ready, up to P.
pub(super) struct Greediness;

impl Invariant for Greediness {
    fn name(&self) -> &'static str {
        "greediness (BL99 section 2)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let busy = view.hands.iter().flatten().count();
        let ready = books.ledger.ready;
        if busy == ready.min(view.hands.len()) {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "{ready} threads are ready for {} processors, of which {busy} work",
            view.hands.len()
        )))
    }
}

/// T ≤ T1/P + Tinf, multiplied by P so that it is exact.
pub(super) struct Time {
    work: u64,
    span: u64,
    processors: u64,
}

impl Time {
    pub(super) fn of(watched: &Watched<'_>) -> Self {
        Self {
            work: watched.measures.work,
            span: watched.measures.span,
            processors: watched.processors as u64,
        }
    }
}

impl Invariant for Time {
    fn name(&self) -> &'static str {
        "the greedy time bound (BL99 Theorem 1)"
    }

    fn finished(&mut self, outcome: &MachineOutcome, _books: &Books<'_>) -> Result<(), Broken> {
        let processors = u128::from(self.processors);
        let bound = u128::from(self.work) + u128::from(self.span) * processors;
        if u128::from(outcome.time) * processors <= bound {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "{} steps, with work {}, span {} and {processors} processors",
            outcome.time, self.work, self.span
        )))
    }
}
