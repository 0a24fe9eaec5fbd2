//! BL99, Lemma 2 and Theorems 3 and 5: space at most S1·P.

use super::{Books, Broken, Invariant, MachineView, Watched};
use crate::machine::outcome::MachineOutcome;

pub(super) struct Space {
    bound: u128,
    peak: u64,
}

impl Space {
    pub(super) fn of(watched: &Watched<'_>) -> Self {
        Self {
            bound: u128::from(watched.measures.stack_depth) * watched.processors as u128,
            peak: 0,
        }
    }
}

impl Invariant for Space {
    fn name(&self) -> &'static str {
        "the space bound S1·P (BL99 Theorems 3 and 5)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let space = books.ledger.space;
        self.peak = self.peak.max(space);
        if u128::from(space) <= self.bound {
            return Ok(());
        }
        let bound = self.bound;
        Err(Broken::somewhere(format!(
            "space {space} is more than {bound}"
        )))
    }

    /// Between two steps there may have been more than at either, while processors acted one after
    /// the other; the machine's own peak must keep to the bound too.
    fn finished(&mut self, outcome: &MachineOutcome, _books: &Books<'_>) -> Result<(), Broken> {
        let peak = outcome.peak_space;
        if u128::from(peak) <= self.bound && peak >= self.peak {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "the machine says that {peak} was its most, {} was seen, the bound is {}",
            self.peak, self.bound
        )))
    }
}
