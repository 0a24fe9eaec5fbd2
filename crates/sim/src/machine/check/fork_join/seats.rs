//! At most P workers have a seat, and only the worker in a seat works there.

use super::super::{Books, Broken, Invariant, MachineView, Watched};

pub(in super::super) struct Seats {
    processors: usize,
}

impl Seats {
    pub(in super::super) fn of(watched: &Watched<'_>) -> Self {
        Self {
            processors: watched.processors,
        }
    }
}

impl Invariant for Seats {
    fn name(&self) -> &'static str {
        "that at most P workers have a seat (docs/waiting.md)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let stacks = books.stacks();
        if let Some((processor, what)) = stacks.impossible {
            return Err(Broken::by(processor, what));
        }
        if stacks.most_seated <= self.processors {
            return Ok(());
        }
        Err(Broken::somewhere(format!(
            "{} workers have had a seat at once, on {} processors",
            stacks.most_seated, self.processors
        )))
    }
}
