//! No seat is held in vain for longer than the patience while a task is ready.

use super::super::{Books, Broken, Invariant, MachineView};
use crate::machine::fork_join::ForkJoin;

pub(in super::super) struct Stranded {
    patience: u64,
}

impl Stranded {
    pub(in super::super) fn of(machine: &ForkJoin) -> Self {
        Self {
            patience: machine.costs.patience,
        }
    }
}

impl Invariant for Stranded {
    fn name(&self) -> &'static str {
        "that no seat is held in vain for longer than the patience (docs/waiting.md)"
    }

    fn begins(&mut self, _view: &MachineView<'_>, books: &Books<'_>) -> Result<(), Broken> {
        let (held, processor) = books.stacks().longest_held;
        if held <= self.patience {
            return Ok(());
        }
        Err(Broken::by(
            processor,
            format!("its worker has waited for {held} steps while tasks were ready"),
        ))
    }
}
