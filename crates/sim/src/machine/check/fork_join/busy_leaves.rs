//! Busy leaves for stacks: a frame without begun children is the newest of a worker with a seat.

use super::super::{Books, Broken, Invariant, MachineView};

pub(in super::super) struct BusyStacks;

impl Invariant for BusyStacks {
    fn name(&self) -> &'static str {
        "busy leaves on stacks (docs/waiting.md)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let stacks = books.stacks();
        let tops = (0..stacks.seats()).filter_map(|processor| stacks.top(processor));
        let busy = tops.filter(|&top| stacks.is_leaf(top)).count();
        if busy == stacks.leaves {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "of {} frames without a begun child, {busy} are the newest of a worker with a seat",
            stacks.leaves
        )))
    }
}
