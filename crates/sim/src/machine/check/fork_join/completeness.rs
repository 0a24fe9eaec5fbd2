//! No work is lost: at the end nothing waits to begin, and no frame is left.

use super::super::{Books, Broken, Invariant};
use crate::machine::outcome::MachineOutcome;

pub(in super::super) struct Completeness;

impl Invariant for Completeness {
    fn name(&self) -> &'static str {
        "completeness (docs/waiting.md)"
    }

    fn finished(&mut self, _outcome: &MachineOutcome, books: &Books<'_>) -> Result<(), Broken> {
        let stacks = books.stacks();
        if let Some((processor, what)) = stacks.impossible {
            return Err(Broken::by(processor, what));
        }
        if stacks.queued == 0 && stacks.live == 0 {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "the run is over, {} threads have not begun, and frames of size {} are left",
            stacks.queued, stacks.live
        )))
    }
}
