//! The corollary of ABP01's structural lemma: weights grow from the bottom to the top.

use super::{Books, Broken, Invariant, MachineView};
use crate::machine::worker::work_sequence;

pub(super) struct Weights;

impl Invariant for Weights {
    fn name(&self) -> &'static str {
        "the corollary on weights (ABP01)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        for processor in 0..view.hands.len() {
            let mut below: Option<u64> = None;
            for (place, thread) in work_sequence(view, processor).enumerate() {
                let name = || books.ledger.name(thread);
                let Some(weight) = books.enabling().weight(thread) else {
                    let what = format!("{} is deeper in the enabling tree than the span", name());
                    return Err(Broken::by(processor, what));
                };
                // w(v0) ≤ w(v1) < w(v2) < …
                let grows = match below {
                    None => true,
                    Some(below) if place == 1 => below <= weight,
                    Some(below) => below < weight,
                };
                if !grows {
                    let what = format!("{} weighs {weight} and no more than what is below", name());
                    return Err(Broken::by(processor, what));
                }
                below = Some(weight);
            }
        }
        Ok(())
    }
}
