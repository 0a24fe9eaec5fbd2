//! Observers that only count.

use filch_sim::machine::{Event, Ledger, MachineOutcome, MachineView, Observer, Violation};
use filch_workload::dag::{Executed, ThreadId};

/// Counts threads that stall while they have no living children.
pub(super) struct StalledLeaves {
    ledger: Ledger<'static>,
    pub(super) count: u64,
}

impl StalledLeaves {
    pub(super) fn of((root, frame): (ThreadId, u64)) -> Self {
        Self {
            ledger: Ledger::new(root, frame, None),
            count: 0,
        }
    }
}

impl Observer for StalledLeaves {
    fn happened(&mut self, event: &Event<'_>) {
        self.ledger.note(event);
        if let &Event::Worked {
            thread,
            executed: Executed::Stalls,
            ..
        } = event
        {
            self.count += u64::from(self.ledger.entry(thread).living_children == 0);
        }
    }
}

/// The rounds of BL99 section 6: at least 3·P attempts in consecutive steps.
pub(super) struct Rounds {
    processors: u64,
    in_step: u64,
    in_round: u64,
    began: u64,
    /// The most attempts in one step.
    pub(super) most: u64,
    /// The fewest steps of a round.
    pub(super) shortest: Option<u64>,
}

impl Rounds {
    pub(super) fn of(processors: u64) -> Self {
        Self {
            processors,
            in_step: 0,
            in_round: 0,
            began: 1,
            most: 0,
            shortest: None,
        }
    }

    /// Ends the step before `next`.
    fn close(&mut self, next: u64) {
        self.most = self.most.max(self.in_step);
        self.in_round += std::mem::take(&mut self.in_step);
        if self.in_round >= 3 * self.processors {
            let steps = next - self.began;
            self.shortest = Some(self.shortest.map_or(steps, |least| least.min(steps)));
            (self.in_round, self.began) = (0, next);
        }
    }
}

impl Observer for Rounds {
    fn begins(&mut self, view: &MachineView<'_>) -> Result<(), Violation> {
        self.close(view.step);
        Ok(())
    }

    fn happened(&mut self, event: &Event<'_>) {
        self.in_step += u64::from(matches!(event, Event::Asked { .. }));
    }

    fn finished(&mut self, outcome: &MachineOutcome) -> Result<(), Violation> {
        self.close(outcome.time + 1);
        Ok(())
    }
}
