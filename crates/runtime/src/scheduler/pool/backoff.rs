//! How long a worker looks around before it does something dearer.

use std::time::{Duration, Instant};

use filch_deque::StealOutcome;

use super::builder::IdlePolicy;
use super::shared::PoolShared;
use crate::sync::{spin_loop, thread};

/// How long a worker searches unless told otherwise.
pub(crate) const SEARCH: Duration = Duration::from_micros(20);

/// The first looks follow each other closely; after them, other threads of the machine come first. One
/// of them may be the one that waits for what this worker has just finished.
pub(crate) const SPINS_BEFORE_YIELD: u32 = 32;

impl PoolShared {
    /// How long a worker looks around before it sleeps.
    pub(crate) fn backoff(&self) -> Backoff<'_> {
        self.backoff_by(self.idle)
    }

    /// How long a thread from outside looks at what it waits for before it blocks: as a worker, since to wake it may take
    /// longer than what it waits for; but it is not for us to keep its processor busy for longer than by default.
    pub(crate) fn caller_backoff(&self) -> Backoff<'_> {
        self.assert_same_process();
        self.backoff_by(match self.idle {
            IdlePolicy::Park => IdlePolicy::Park,
            IdlePolicy::Search(time) => IdlePolicy::Search(time.min(SEARCH)),
            IdlePolicy::Spin => IdlePolicy::Search(SEARCH),
        })
    }

    fn backoff_by(&self, idle: IdlePolicy) -> Backoff<'_> {
        Backoff {
            shared: self,
            idle,
            rounds: 0,
            until: None,
            requested_since: None,
            force_allowed: false,
            hidden_at: 0,
        }
    }

    /// How often a worker looks at what it waits for before it helps: for less than a microsecond in all, which is
    /// about what a piece costs that is asked for, carried over and waited for. So a child that ends by then
    /// is not cut up for nothing, and one that takes longer has lost no more than that.
    pub(crate) fn spins_before_helping(&self) -> u32 {
        match self.idle {
            IdlePolicy::Park => 0,
            _ if cfg!(any(loom, shuttle)) => 1,
            _ => 20,
        }
    }

    /// No sense in asking for longer than one would look around.
    fn longest_search(&self) -> Duration {
        match self.idle {
            IdlePolicy::Search(time) => time,
            IdlePolicy::Park | IdlePolicy::Spin => Duration::MAX,
        }
    }

    /// Uses force by `steal`, and notes what it costs.
    pub(crate) fn force_steal<T>(
        &self,
        steal: impl FnOnce() -> StealOutcome<T>,
    ) -> StealOutcome<T> {
        self.force_cost.timed(steal)
    }
}

/// A worker's patience with having nothing to do.
pub(crate) struct Backoff<'a> {
    shared: &'a PoolShared,
    idle: IdlePolicy,
    rounds: u32,
    /// None inside if that is beyond all time.
    until: Option<Option<Instant>>,
    /// When it began to ask for what is hidden.
    requested_since: Option<Instant>,
    /// Whether it asks no longer.
    force_allowed: bool,
    /// The look at which something was hidden last.
    hidden_at: u32,
}

impl Backoff<'_> {
    /// Pauses before another look; false if it is time to sleep.
    pub(crate) fn pause(&mut self) -> bool {
        self.rounds = self.rounds.saturating_add(1);
        if self.idle == IdlePolicy::Park || cfg!(any(loom, shuttle)) && self.rounds > 1 {
            return false;
        }
        if self.rounds <= SPINS_BEFORE_YIELD {
            spin_loop();
            return true;
        }
        self.shared.assert_same_process();
        thread::yield_now();
        match self.idle {
            IdlePolicy::Park => false,
            IdlePolicy::Spin => true,
            IdlePolicy::Search(time) => {
                let now = Instant::now();
                let until = *self.until.get_or_insert_with(|| now.checked_add(time));
                until.is_none_or(|until| now < until)
            }
        }
    }

    /// Whether what was found hidden at this look may be taken by force, which costs no more than a fence if it `is_fenced`.
    /// It is asked for as long as force has cost of late: who has waited that long for something that is still
    /// there would have done better with force at once, but not twice as well.
    pub(crate) fn may_force(&mut self, is_fenced: bool) -> bool {
        if self.idle == IdlePolicy::Park {
            return true;
        }
        if cfg!(shuttle) {
            // As late as it can be.
            return self.force_allowed;
        }
        if self.rounds.saturating_sub(self.hidden_at) > 1 {
            // What was hidden earlier is gone.
            self.requested_since = None;
            self.force_allowed = false;
        }
        self.hidden_at = self.rounds;
        let now = Instant::now();
        let requested = now - *self.requested_since.get_or_insert(now);
        let cost = self
            .shared
            .force_cost
            .cost()
            .min(self.shared.longest_search());
        self.force_allowed
            || requested
                >= if is_fenced {
                    cost.min(LEAST_REQUEST)
                } else {
                    cost
                }
    }

    /// It was about to sleep and there was something after all: from now on, that may be taken by force.
    pub(crate) fn allow_force(&mut self) {
        self.hidden_at = self.rounds;
        self.force_allowed = true;
    }
}

/// Who pops its own small jobs, and looks at nothing else meanwhile, should not be robbed of them one by one.
const LEAST_REQUEST: Duration = Duration::from_micros(2);
