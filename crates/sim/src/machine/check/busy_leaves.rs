//! BL99 section 3: every leaf of the spawn subtree has a processor that works on it.

use super::{Books, Broken, Invariant, MachineView, ThreadId};

#[derive(Default)]
pub(super) struct BusyLeavesProperty {
    /// For each thread the last step in which a processor worked on it.
    seen: Vec<u64>,
}

impl Invariant for BusyLeavesProperty {
    fn name(&self) -> &'static str {
        "the busy-leaves property (BL99 section 3)"
    }

    fn begins(&mut self, view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let ledger = &books.ledger;
        let is_leaf = |thread| ledger.entry(thread).living_children == 0;
        let mut busy = 0;
        for (processor, &thread) in view.hands.iter().enumerate() {
            let Some(thread) = thread else { continue };
            if self.seen.len() <= thread.index() {
                self.seen.resize(thread.index() + 1, 0);
            }
            // No thread is in two hands, so that the leaves in hands can be counted.
            if self.seen[thread.index()] == view.step {
                let what = format!("another processor works on {} too", ledger.name(thread));
                return Err(Broken::by(processor, what));
            }
            self.seen[thread.index()] = view.step;
            busy += usize::from(is_leaf(thread));
        }
        if busy == ledger.leaves {
            return Ok(());
        }
        let works = |thread: ThreadId| self.seen.get(thread.index()) == Some(&view.step);
        let mut leaves = ledger
            .living()
            .into_iter()
            .filter(|&thread| is_leaf(thread));
        let Some(alone) = leaves.find(|&thread| !works(thread)) else {
            return Err(Broken::somewhere(
                "a processor works on a thread that is dead",
            ));
        };
        Err(Broken {
            // The processor that has it in its deque, if one has.
            processor: view
                .deques
                .iter()
                .position(|deque| deque.from_bottom().any(|thread| thread == alone)),
            what: format!("no processor works on the leaf {}", ledger.name(alone)),
        })
    }
}
