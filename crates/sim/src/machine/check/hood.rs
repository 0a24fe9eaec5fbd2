//! ABP01, proof of the run-time bound: a round takes a third of the potential of the workers whose
//! deques are empty.
//!
//! A worker of H_i has an assigned vertex alone, or nothing. It executes the vertex in round i, and
//! what that enables has at most 2/3 of its potential. So Φ_i − Φ_{i+1} ≥ ⅓·Φ_i(H_i).

use super::round::{Round, at_most};
use super::{Books, Broken, Invariant, MachineView};

#[derive(Default)]
pub(super) struct Hood {
    last: Option<Round>,
}

impl Invariant for Hood {
    fn name(&self) -> &'static str {
        "the loss of workers with empty deques (ABP01)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let now = Round::of(view, books.enabling());
        let last = self.last.replace(now);
        let (Some(last), Some(now)) = (last, &self.last) else {
            return Ok(());
        };
        let hood = last.workers().filter(|&worker| !last.has_deque(worker));
        let held = hood.flat_map(|worker| last.of_worker(worker));
        let left = now.times(3).chain(held.map(|exponent| (exponent, 1)));
        if at_most(left, last.times(3)) {
            Ok(())
        } else {
            let what = "the potential fell by less than a third of what they held";
            Err(Broken::somewhere(what))
        }
    }
}
