//! How many threads of a pool search for work at a time, and for how long at least.

use super::builder::IdlePolicy;
use super::order::JobOrder;
use super::placement::Comes;
use super::processors::processors;
use super::shared::PoolShared;

/// How many threads may be on their way to jobs from outside: as many as can run. In a model one,
/// so that models with few threads have a thread too many.
fn most_comers() -> usize {
    if cfg!(any(loom, shuttle)) {
        1
    } else {
        processors()
    }
}

/// What a pool allows its searchers.
pub(super) struct Searching {
    /// How many threads search at a time.
    most: usize,
    /// How often a searcher yields its processor before it sleeps, even if its time is over.
    least_yields: u32,
    /// How many idle threads a searcher wakes when it has found work, whether or not there is more.
    successors: u32,
    /// So many threads at a time are on their way to jobs from outside, if these come in turn.
    most_comers: Option<usize>,
}

impl Searching {
    /// As many threads search as there are processors: more would keep one another from the work.
    const fn up_to(processors: usize) -> Self {
        Self {
            most: processors,
            least_yields: 0,
            successors: 0,
            most_comers: None,
        }
    }

    /// Searchers that yield take no processor from a thread that works, and one that is awake
    /// begins new work without a system call of the thread that made it. They also keep their
    /// processor from halting, for threads that block in code of the user and wake one another.
    /// rayon's programs get the same from their core, which has these numbers too.
    const LONG: Self = Self {
        most: usize::MAX,
        least_yields: 32,
        successors: 2,
        most_comers: None,
    };

    /// For a pool with so many workers. If threads may come in turn for jobs from outside, they do
    /// so where there are more workers than may come at a time.
    pub(super) fn new(workers: usize, order: JobOrder, come_in_turn: bool) -> Self {
        let processors = processors();
        if order.runs_rayon_programs() {
            return if workers > processors {
                Self::LONG
            } else {
                Self::up_to(processors)
            };
        }
        Self {
            most_comers: Some(most_comers()).filter(|&most| come_in_turn && workers > most),
            ..Self::up_to(processors)
        }
    }

    pub(super) fn most_comers(&self) -> Option<usize> {
        self.most_comers
    }

    pub(super) fn least_yields(&self) -> u32 {
        self.least_yields
    }
}

impl PoolShared {
    /// Whether a searching thread should sleep although its time is not over: another one has woken
    /// up, or there are too many searchers. A pool that never sleeps has as many as it has threads.
    pub(crate) fn is_search_crowded(&self) -> bool {
        let has_others = || self.sleep.counts().searching() > self.searching.most;
        self.sleep.is_crowded() || self.idle != IdlePolicy::Spin && has_others()
    }

    /// The calling thread has found work and searches no more: wakes idle threads that search in
    /// its place.
    pub(crate) fn wake_successors(&self) {
        for _ in 0..self.searching.successors {
            if !self.sleep.has_room() || !self.wake_any(Comes::Beside) {
                return;
            }
        }
    }
}
