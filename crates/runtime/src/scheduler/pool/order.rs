//! In which order workers look at independent jobs and at forks of other workers.

/// The order. `docs/rayon.md` has the argument for the two that rayon's programs get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobOrder {
    /// Forks first. Jobs from outside are dispatched by a policy, and a worker without work
    /// requests some of another one's jobs (BFG03).
    Requests,
    /// Spawned jobs first, the oldest of a worker first, one at a time: no worker begins a fork of
    /// another one while a spawned job waits. Jobs from outside come last, from one queue. For
    /// pools whose waiters hand over.
    BeforeForks,
    /// Jobs and forks of a worker in the order in which it made them: each spawned job has a
    /// stand-in in the deque. Jobs from outside come last, from one queue. A waiting worker that
    /// would sleep runs anything instead, since no other thread could come in its place.
    AmongForks,
}

impl JobOrder {
    /// Whether the pool runs rayon's programs.
    pub(crate) fn runs_rayon_programs(self) -> bool {
        self != Self::Requests
    }

    /// Whether jobs from outside wait in one queue.
    pub(crate) fn has_injector(self) -> bool {
        self.runs_rayon_programs()
    }

    /// Whether a waiting worker runs anything before it sleeps.
    pub(crate) fn waiters_run_anything(self) -> bool {
        self == Self::AmongForks
    }

    /// Whether a waiting worker runs anything if no other thread could come, before it sleeps or
    /// [after a while](super::stall).
    pub(crate) fn waiters_come(self) -> bool {
        self.has_injector()
    }
}
