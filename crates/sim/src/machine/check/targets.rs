//! ABP01, lemma on P steal attempts, first part: an attempt at a worker with vertices in its deque
//! takes half of that worker's potential.
//!
//! By the end of the round in which a worker q of D_i is asked, the top vertex of its deque is
//! assigned: to a thief or to q. It held 3/4 of Φ_i(q) and loses 2/3 of that. The top vertices of
//! different workers differ, so the losses add up: Φ_i − Φ_{i+1} ≥ ½·Σ Φ_i(q) over all workers of
//! D_i that are asked in round i. This is where an attempt that fails although the top vertex stays
//! would break the proof.

use super::round::{Round, at_most};
use super::{Books, Broken, Event, Invariant, MachineView};

#[derive(Default)]
pub(super) struct Targets {
    last: Option<Round>,
    asked: Vec<bool>,
}

impl Invariant for Targets {
    fn name(&self) -> &'static str {
        "the lemma on P steal attempts (ABP01)"
    }

    fn happened(&mut self, event: &Event<'_>) {
        if let Event::Asked { victim, .. } = *event {
            self.asked[victim] = true;
        }
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let now = Round::of(view, books.enabling());
        let last = self.last.replace(now);
        let asked = std::mem::replace(&mut self.asked, vec![false; view.hands.len()]);
        let (Some(last), Some(now)) = (last, &self.last) else {
            return Ok(());
        };
        let targets = last
            .workers()
            .filter(|&worker| asked[worker] && last.has_deque(worker));
        let held = targets.flat_map(|worker| last.of_worker(worker));
        let left = now.times(2).chain(held.map(|exponent| (exponent, 1)));
        if at_most(left, last.times(2)) {
            Ok(())
        } else {
            let what = "steal attempts took less than half of the potential of those asked";
            Err(Broken::somewhere(what))
        }
    }
}
