//! BL99 section 3: every leaf of the spawn subtree has a processor that works on it.

use super::{Books, Broken, Invariant, View};

pub(super) struct BusyLeaves;

impl Invariant for BusyLeaves {
    fn name(&self) -> &'static str {
        "the busy-leaves property (BL99 section 3)"
    }

    fn begins(&mut self, view: &View<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let ledger = &books.ledger;
        // No thread is in two hands, so the leaves in hands can be counted.
        let mut hands: Vec<_> = view.hands.iter().flatten().copied().collect();
        hands.sort_unstable();
        if let Some(pair) = hands.windows(2).find(|pair| pair[0] == pair[1]) {
            let name = ledger.name(pair[0]);
            return Err(Broken::somewhere(format!("two processors work on {name}")));
        }
        let is_leaf = |&thread: &_| ledger.entry(thread).living_children == 0;
        let busy = hands.iter().filter(|thread| is_leaf(thread)).count();
        if busy == ledger.leaves {
            return Ok(());
        }
        let idle = ledger
            .living()
            .into_iter()
            .filter(is_leaf)
            .find(|thread| hands.binary_search(thread).is_err());
        let name = idle.map_or_else(|| "a dead thread".to_owned(), |thread| ledger.name(thread));
        Err(Broken::somewhere(format!(
            "nobody works on the leaf {name}"
        )))
    }
}
