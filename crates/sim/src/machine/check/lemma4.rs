//! BL99, Lemma 4: a deque is a chain of ancestors, and only its top may have been worked on since.

use super::{Books, Broken, Invariant, MachineView};

pub(super) struct Lemma4;

impl Invariant for Lemma4 {
    fn name(&self) -> &'static str {
        "Lemma 4 (BL99 section 4)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let ledger = &books.ledger;
        for (processor, (hand, deque)) in view.hands.iter().zip(view.deques).enumerate() {
            let Some(mut below) = *hand else {
                if deque.is_empty() {
                    continue;
                }
                return Err(Broken::by(processor, "a thief has threads of its own"));
            };
            for (place, thread) in deque.from_bottom().enumerate() {
                let is_top = place + 1 == deque.len();
                let wrong = match ledger.entry(below).parent {
                    None => "is above the root",
                    Some((parent, _)) if parent != thread => "is not the parent of",
                    Some((_, since)) if !is_top && ledger.entry(thread).executed != since => {
                        "was worked on since it spawned"
                    }
                    Some(_) => {
                        below = thread;
                        continue;
                    }
                };
                let [name, child] = [thread, below].map(|thread| ledger.name(thread));
                return Err(Broken::by(processor, format!("{name} {wrong} {child}")));
            }
        }
        Ok(())
    }
}
