//! ABP01, decreasing total potential: it never rises from one round to the next.

use std::cmp::Ordering;

use super::{Books, Broken, Invariant, MachineView, Powers};
use crate::machine::worker::total_potential;

/// The potential at the beginning of the last round.
#[derive(Default)]
pub(super) struct Potential {
    last: Option<Powers>,
}

impl Invariant for Potential {
    fn name(&self) -> &'static str {
        "the decreasing potential (ABP01)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let now = total_potential(view, books.enabling());
        let last = self.last.replace(now);
        match (&last, &self.last) {
            (Some(last), Some(now)) if now.compare(1, last, 1) == Ordering::Greater => {
                Err(Broken::somewhere("the total potential has risen"))
            }
            _ => Ok(()),
        }
    }
}
