//! ABP01's structural lemma: designated parents along a work sequence are ancestors of one another.

use super::{Books, Broken, Invariant, MachineView};
use crate::machine::enabling::Relation;
use crate::machine::worker::work_sequence;

pub(super) struct Structural;

impl Invariant for Structural {
    fn name(&self) -> &'static str {
        "the structural lemma (ABP01)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        for processor in 0..view.hands.len() {
            let mut sequence = work_sequence(view, processor).enumerate();
            let Some((_, mut below)) = sequence.next() else {
                continue;
            };
            for (place, thread) in sequence {
                // Only the first two may have the same parent.
                let relation = books.enabling().relation(thread, below);
                let holds = match relation {
                    Relation::Ancestor => true,
                    Relation::Same => place == 1,
                    Relation::None => false,
                };
                if !holds {
                    let [name, other] = [thread, below].map(|thread| books.ledger.name(thread));
                    let how = match relation {
                        Relation::Same => "the designated parent too",
                        _ => "no ancestor of the designated parent",
                    };
                    return Err(Broken::by(
                        processor,
                        format!("the designated parent of {name} is {how} of {other}"),
                    ));
                }
                below = thread;
            }
        }
        Ok(())
    }
}
