//! How long a worker looks around before it does something dearer.

use std::time::{Duration, Instant};

use filch_deque::StealOutcome;
use filch_deque::asymmetric::Light;

use super::builder::IdlePolicy;
use super::shared::Shared;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{spin_loop, thread};

/// How long a worker searches unless told otherwise.
pub(crate) const SEARCH: Duration = Duration::from_micros(20);

/// The first looks follow each other closely; after them, other threads of the machine come first. One
/// of them may be the one that waits for what this worker has just finished.
pub(crate) const CLOSE_LOOKS: u32 = 32;

impl Shared {
    /// How long a worker looks around before it sleeps.
    pub(crate) fn patience(&self) -> Patience<'_> {
        self.patience_by(self.idle)
    }

    /// How long a thread from outside looks at what it waits for before it blocks: as a worker, since to wake it may take
    /// longer than what it waits for; but it is not for us to keep its processor busy for longer than by default.
    pub(crate) fn patience_of_caller(&self) -> Patience<'_> {
        self.assert_not_forked();
        self.patience_by(match self.idle {
            IdlePolicy::Park => IdlePolicy::Park,
            IdlePolicy::Search(time) => IdlePolicy::Search(time.min(SEARCH)),
            IdlePolicy::Spin => IdlePolicy::Search(SEARCH),
        })
    }

    fn patience_by(&self, idle: IdlePolicy) -> Patience<'_> {
        Patience {
            shared: self,
            idle,
            looks: 0,
            until: None,
            asks_since: None,
            is_lost: false,
            hidden_at: 0,
        }
    }

    /// How often a worker looks at what it waits for before it helps: for less than a microsecond in all, which is
    /// about what a piece costs that is asked for, carried over and waited for. So a child that ends by then
    /// is not cut up for nothing, and one that takes longer has lost no more than that.
    pub(crate) fn looks_before_helping(&self) -> u32 {
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
    pub(crate) fn force<T>(&self, steal: impl FnOnce() -> StealOutcome<T>) -> StealOutcome<T> {
        self.force.timed(steal)
    }
}

/// A worker's patience with having nothing to do.
pub(crate) struct Patience<'a> {
    shared: &'a Shared,
    idle: IdlePolicy,
    looks: u32,
    /// None inside if that is beyond all time.
    until: Option<Option<Instant>>,
    /// When it began to ask for what is hidden.
    asks_since: Option<Instant>,
    /// Whether it asks no longer.
    is_lost: bool,
    /// The look at which something was hidden last.
    hidden_at: u32,
}

impl Patience<'_> {
    /// Pauses before another look; false if it is time to sleep.
    pub(crate) fn pause(&mut self) -> bool {
        self.looks = self.looks.saturating_add(1);
        if self.idle == IdlePolicy::Park || cfg!(any(loom, shuttle)) && self.looks > 1 {
            return false;
        }
        if self.looks <= CLOSE_LOOKS {
            spin_loop();
            return true;
        }
        self.shared.assert_not_forked();
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
            return self.is_lost;
        }
        if self.looks.saturating_sub(self.hidden_at) > 1 {
            // What was hidden earlier is gone.
            self.asks_since = None;
            self.is_lost = false;
        }
        self.hidden_at = self.looks;
        let now = Instant::now();
        let asked = now - *self.asks_since.get_or_insert(now);
        let cost = self.shared.force.cost().min(self.shared.longest_search());
        self.is_lost || asked >= if is_fenced { cost.min(SMALL) } else { cost }
    }

    /// It was about to sleep and there was something after all: from now on, that may be taken by force.
    pub(crate) fn lose(&mut self) {
        self.hidden_at = self.looks;
        self.is_lost = true;
    }
}

/// Who pops its own small jobs, and looks at nothing else meanwhile, should not be robbed of them one by one.
const SMALL: Duration = Duration::from_micros(2);

/// What it costs to take something by force: on a machine of one's own a microsecond, on a virtual one ten
/// times that and nearly as much of the victim's time.
pub(super) struct Force {
    nanos: AtomicU64,
}

impl Force {
    /// What took less was no system call.
    const LEAST: Duration = Duration::from_nanos(300);
    /// Beyond this it was not the force, but the system that ran something else.
    const MOST: Duration = SEARCH;

    /// A guess, and nothing where force is a fence.
    pub(super) fn new() -> Self {
        let micros = if Light::settled().is_free() { 5 } else { 0 };
        Self {
            nanos: AtomicU64::new(1000 * micros),
        }
    }

    /// Ordering, here and below: one number, of which any recent value will do.
    fn cost(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }

    fn timed<T>(&self, steal: impl FnOnce() -> StealOutcome<T>) -> StealOutcome<T> {
        let began = Instant::now();
        let stolen = steal();
        self.learn(began.elapsed());
        stolen
    }

    fn learn(&self, took: Duration) {
        let cost = self.cost();
        if !cost.is_zero() && took >= Self::LEAST {
            let mean = (3 * cost + took.min(Self::MOST)) / 4;
            self.nanos.store(mean.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn what_force_costs_is_learned_within_bounds() {
        let force = Force {
            nanos: AtomicU64::new(5000),
        };
        let cost_after = |took| {
            (0..100).for_each(|_| force.learn(took));
            force.cost()
        };
        let near = |cost: Duration, micros: u64| {
            cost.abs_diff(Duration::from_micros(micros)) < Duration::from_nanos(100)
        };
        assert!(near(cost_after(Duration::from_micros(13)), 13));
        assert!(
            near(cost_after(Duration::from_nanos(100)), 13),
            "no system call"
        );
        assert!(near(cost_after(Duration::from_micros(1)), 1));
        assert!(
            near(cost_after(Duration::from_secs(1)), 20),
            "something else ran"
        );
    }
}
