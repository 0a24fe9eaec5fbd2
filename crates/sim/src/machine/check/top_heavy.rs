//! ABP01, top-heavy deques: the top of a deque holds at least 3/4 of its worker's potential.

use std::cmp::Ordering;

use super::{Books, Broken, Invariant, MachineView};
use crate::machine::worker::{exponent, potential};

pub(super) struct TopHeavy;

impl Invariant for TopHeavy {
    fn name(&self) -> &'static str {
        "the lemma on top-heavy deques (ABP01)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        for processor in 0..view.hands.len() {
            let Some(top) = view.deques[processor].top() else {
                continue;
            };
            let tree = books.enabling();
            let all = potential(view, processor, tree);
            let top = exponent(tree, top, false)
                .into_iter()
                .collect::<super::Powers>();
            if top.compare(4, &all, 3) == Ordering::Less {
                let what = "the top vertex has less than 3/4 of the potential";
                return Err(Broken::by(processor, what));
            }
        }
        Ok(())
    }
}
