//! The phases of ABP01's proof: how often does the potential drop by a quarter?

use std::cmp::Ordering;

use filch_workload::dag::ThreadId;

use super::enabling::Enabling;
use super::observe::{Event, MachineView, Observer};
use super::powers::Powers;
use super::violation::Violation;
use super::worker::total_potential;

/// Divides a run into phases of at least P steal attempts and counts those that are *successful*:
/// the potential at the end is at most 3/4 of that at the beginning.
#[derive(Clone, Debug)]
pub struct Phases {
    tree: Enabling,
    processors: u64,
    /// The potential when the phase began.
    start: Option<Powers>,
    attempts: u64,
    /// Phases that are over.
    pub all: u64,
    /// Those of them that were successful.
    pub successful: u64,
}

impl Phases {
    /// Of a computation with this root and span on so many processors.
    pub fn of(root: ThreadId, span: u64, processors: usize) -> Self {
        Self {
            tree: Enabling::of(root, span),
            processors: processors as u64,
            start: None,
            attempts: 0,
            all: 0,
            successful: 0,
        }
    }
}

impl Observer for Phases {
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        if self.attempts < self.processors && self.start.is_some() {
            return Ok(());
        }
        let now = total_potential(view, &self.tree);
        if let Some(start) = &self.start {
            self.all += 1;
            self.successful += u64::from(now.compare(4, start, 3) != Ordering::Greater);
        }
        self.start = Some(now);
        self.attempts = 0;
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        self.attempts += u64::from(matches!(event, Event::Asked { .. }));
        self.tree.note(event);
    }
}
