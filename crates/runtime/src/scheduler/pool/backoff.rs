//! How long a worker searches before it helps, forces a steal or sleeps, and a caller before it
//! blocks.

use std::time::{Duration, Instant};

use filch_deque::StealOutcome;

use super::builder::IdlePolicy;
use super::processors::processors;
use super::shared::PoolShared;
use crate::scheduler::queue::Queue;
use crate::sync::{spin_loop, thread};

/// How long a worker searches by default.
pub(crate) const SEARCH: Duration = Duration::from_micros(20);

/// How many times as long a worker searches below its latch before it sleeps. To hand over takes
/// two wake-ups, that of another thread and its own, each of which may have to start a processor
/// that has halted. Ski rental, as for forced steals: it waits for as long as handing over costs.
const WAITER_SEARCHES: u32 = 3;

/// How many rounds spin before the worker yields its processor after each. Another thread of the
/// machine may need the processor, perhaps the one that waits for what this worker has just
/// finished.
pub(crate) const SPINS_BEFORE_YIELD: u32 = 32;

/// How many seats a worker looks at before it yields its processor after each round: with many
/// workers one round takes microseconds.
const LOOKS_BEFORE_YIELD: u32 = 256;

impl PoolShared {
    /// The back-off of a worker before it sleeps.
    pub(crate) fn backoff(&self) -> Backoff<'_> {
        self.backoff_by(self.idle, self.searching.least_yields())
    }

    /// The back-off of a worker that waits for a stolen child, before it sleeps and hands over.
    pub(crate) fn waiter_backoff(&self) -> Backoff<'_> {
        let idle = match self.idle {
            IdlePolicy::Search(time) => IdlePolicy::Search(time.saturating_mul(WAITER_SEARCHES)),
            other => other,
        };
        self.backoff_by(idle, self.searching.least_yields())
    }

    /// The back-off of a thread from outside before it blocks. It spins as long as a worker
    /// searches, since waking it may take longer than what it waits for. But the pool does not keep
    /// the processor of a foreign thread busy for longer than the default.
    pub(crate) fn caller_backoff(&self) -> Backoff<'_> {
        self.assert_same_process();
        let idle = match self.idle {
            IdlePolicy::Park => IdlePolicy::Park,
            IdlePolicy::Search(time) => IdlePolicy::Search(time.min(SEARCH)),
            IdlePolicy::Spin => IdlePolicy::Search(SEARCH),
        };
        self.backoff_by(idle, 0)
    }

    /// The back-off of a thread from outside that is about to send a job and wait for it.
    pub(crate) fn sender_backoff(&self) -> SenderBackoff<'_> {
        let is_cold = self.sleep.counts().searching() == 0 && self.workers() >= processors();
        SenderBackoff {
            backoff: self.caller_backoff(),
            leaves: is_cold && self.has_injector(),
            looks: self.spins_before_helping(),
        }
    }

    fn backoff_by(&self, idle: IdlePolicy, least_yields: u32) -> Backoff<'_> {
        Backoff {
            shared: self,
            idle,
            least_yields,
            rounds: 0,
            until: None,
            requested_since: None,
            force_allowed: false,
            hidden_at: 0,
        }
    }

    /// How often a waiting worker checks its latch before it helps: less than a microsecond in all,
    /// which is about the cost of requesting, moving and awaiting one piece of work. So a child
    /// that ends by then is not split for nothing, and one that takes longer has lost no more than
    /// that.
    pub(crate) fn spins_before_helping(&self) -> u32 {
        match self.idle {
            IdlePolicy::Park => 0,
            _ if cfg!(any(loom, shuttle)) => 1,
            _ => 20,
        }
    }

    /// Spins until a job arrives in the queue of a worker that has just run one, for less than a
    /// microsecond. False if none did.
    pub(crate) fn awaits_job(&self, queue: &Queue) -> bool {
        let spins = self.spins_before_helping();
        (0..spins).any(|_| {
            spin_loop();
            !queue.has_nothing()
        })
    }

    fn spins_before_yield(&self) -> u32 {
        let seats = u32::try_from(self.seats.len()).unwrap_or(u32::MAX);
        SPINS_BEFORE_YIELD.min(LOOKS_BEFORE_YIELD / seats.max(1))
    }

    /// A thief that requested for longer than it searches would sleep before it forces.
    fn longest_search(&self) -> Duration {
        match self.idle {
            IdlePolicy::Search(time) => time,
            IdlePolicy::Park | IdlePolicy::Spin => Duration::MAX,
        }
    }

    /// Performs a forced steal and records its cost.
    pub(crate) fn force_steal<T>(
        &self,
        steal: impl FnOnce() -> StealOutcome<T>,
    ) -> StealOutcome<T> {
        self.force_cost.timed(steal)
    }
}

/// The back-off of a thread without work. It spins at first, then yields its processor after each
/// round, and then it is time to sleep.
pub(crate) struct Backoff<'a> {
    shared: &'a PoolShared,
    idle: IdlePolicy,
    /// How often it yields before it is time to sleep.
    least_yields: u32,
    rounds: u32,
    /// The end of the search. The inner value is `None` if it is beyond the range of the clock.
    until: Option<Option<Instant>>,
    /// When the requests for a hidden item began.
    requested_since: Option<Instant>,
    /// Whether a forced steal is allowed without further requests.
    force_allowed: bool,
    /// The round in which an item was hidden last.
    hidden_at: u32,
}

impl Backoff<'_> {
    /// Pauses between two rounds. False if it is time to sleep.
    pub(crate) fn pause(&mut self) -> bool {
        self.rounds = self.rounds.saturating_add(1);
        if self.idle == IdlePolicy::Park || cfg!(any(loom, shuttle)) && self.rounds > 1 {
            return false;
        }
        let spins = self.shared.spins_before_yield();
        if self.rounds <= spins {
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
                until.is_none_or(|until| now < until) || self.rounds - spins < self.least_yields
            }
        }
    }

    /// Whether an item that was found hidden in this round may be stolen by force, which costs a
    /// fence if it `is_fenced` and a system call otherwise.
    ///
    /// This is ski rental: the thief requests the item for as long as recent forced steals took,
    /// and then forces. Whatever the victim does, that costs at most twice the best choice in
    /// hindsight.
    pub(crate) fn may_force(&mut self, is_fenced: bool) -> bool {
        if self.idle == IdlePolicy::Park {
            return true;
        }
        if cfg!(shuttle) {
            // As late as possible.
            return self.force_allowed;
        }
        if self.rounds.saturating_sub(self.hidden_at) > 1 {
            // An item that was hidden earlier is gone.
            self.requested_since = None;
            self.force_allowed = false;
        }
        self.hidden_at = self.rounds;
        let now = Instant::now();
        let requested = now - *self.requested_since.get_or_insert(now);
        let request = self.shared.force_cost.cost();
        let request = request.min(self.shared.longest_search());
        let request = if is_fenced {
            request.min(FENCED_REQUEST)
        } else {
            request
        };
        self.force_allowed || requested >= request
    }

    /// The worker was about to sleep and found work. From now on it may steal that by force.
    pub(crate) fn allow_force(&mut self) {
        self.hidden_at = self.rounds;
        self.force_allowed = true;
    }
}

/// The back-off of a thread from outside that waits for the job that it has sent.
///
/// If no worker searched when it sent the job, and there are as many workers as processors, the
/// workers that the job wakes need its processor. A second worker that finds none idle may be left
/// by Linux for milliseconds on that of the first. So the thread spins until the job has begun, and
/// then for less than a microsecond.
pub(crate) struct SenderBackoff<'a> {
    backoff: Backoff<'a>,
    /// Whether it leaves its processor to the workers once the job has begun.
    leaves: bool,
    /// How often it still looks at its latch then.
    looks: u32,
}

impl SenderBackoff<'_> {
    /// Pauses between two looks at the latch. False if it is time to block.
    pub(crate) fn pause(&mut self) -> bool {
        if self.leaves && self.backoff.shared.has_taken_all_from_outside() {
            if self.looks == 0 {
                return false;
            }
            self.looks -= 1;
        }
        self.backoff.pause()
    }
}

/// How long a thief requests a fenced item before it forces the steal, although that costs only a
/// fence. An owner that pops its own small jobs without pushing should not lose them to thieves one
/// by one.
const FENCED_REQUEST: Duration = Duration::from_micros(2);
