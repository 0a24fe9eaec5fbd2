//! BL99, Lemma 4: a deque is a chain of ancestors, and only its top may have been worked on since.

use super::{Books, Broken, Invariant, View};

pub(super) struct Lemma4;

impl Invariant for Lemma4 {
    fn name(&self) -> &'static str {
        "Lemma 4 (BL99 section 4)"
    }

    fn begins(&mut self, view: &View<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let ledger = &books.ledger;
        for (processor, (hand, deque)) in view.hands.iter().zip(view.deques).enumerate() {
            let Some(mut below) = *hand else {
                if deque.is_empty() {
                    continue;
                }
                return Err(Broken::by(processor, "a thief has threads of its own"));
            };
            for (place, &thread) in deque.iter().rev().enumerate() {
                let is_top = place + 1 == deque.len();
                let (name, child) = (ledger.name(thread), ledger.name(below));
                match ledger.entry(below).parent {
                    Some((parent, _)) if parent != thread => {
                        return Err(Broken::by(
                            processor,
                            format!("{name} is not the parent of {child}"),
                        ));
                    }
                    None => {
                        let what = format!("{name} is above {child}, which is the root");
                        return Err(Broken::by(processor, what));
                    }
                    Some((_, since)) if !is_top && ledger.entry(thread).executed != since => {
                        let what = format!("{name} was worked on since it spawned {child}");
                        return Err(Broken::by(processor, what));
                    }
                    Some(_) => below = thread,
                }
            }
        }
        Ok(())
    }
}
