//! BL99, Lemma 7: exactly T1 dollars end up in the WORK bucket; and every dollar in some bucket.

use super::{Books, Broken, Invariant, Watched};
use crate::machine::outcome::MachineOutcome;

pub(super) struct Buckets {
    work: u64,
    processors: u64,
}

impl Buckets {
    pub(super) fn of(watched: &Watched<'_>) -> Self {
        Self {
            work: watched.measures.work,
            processors: watched.processors as u64,
        }
    }
}

impl Invariant for Buckets {
    fn name(&self) -> &'static str {
        "the accounting of dollars (BL99 Lemma 7)"
    }

    fn finished(&mut self, outcome: &MachineOutcome, _books: &Books<'_>) -> Result<(), Broken> {
        if outcome.work != self.work {
            return Err(Broken::somewhere(format!(
                "{} dollars are in the WORK bucket, and there are {} instructions",
                outcome.work, self.work
            )));
        }
        let (dollars, paid) = (outcome.dollars(), self.processors * outcome.time);
        if dollars != paid {
            return Err(Broken::somewhere(format!(
                "{dollars} dollars are in buckets, {paid} were paid"
            )));
        }
        Ok(())
    }
}
