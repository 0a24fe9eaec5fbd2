//! Closing a pool: its workers end when all that it has accepted is done.

use super::placement::Comes;
use super::shared::PoolShared;
use crate::sync::atomic::Ordering;

impl PoolShared {
    /// Ordering: SeqCst for `closing` and `closed`, which change once.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Lets the pool end when all that it has accepted is done.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        // Workers that are awake find out by themselves whether all is done, so one sleeper is
        // enough. While a job runs, all of them might be asleep again before the last was woken.
        self.wake_any(Comes::Instead);
    }

    /// Lets the other workers end without this one.
    pub(crate) fn mark_absent(&self, worker: usize) {
        self.seats[worker].mark_absent(true);
        self.sleep.tally().block();
        // The pool may have waited only for this worker. If it closes later, it sees the flag.
        if self.is_closing() {
            self.wake_any(Comes::Instead);
        }
    }

    /// A worker is about to take jobs out of another worker's queue.
    pub(crate) fn count_a_move(&self) {
        self.moves.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether the pool is closing and no worker has work. Called by a worker that has none.
    pub(crate) fn all_is_done(&self) -> bool {
        if !self.is_closing() || self.closed.load(Ordering::SeqCst) {
            return self.closed.load(Ordering::SeqCst);
        }
        // Before the queues: what is sent until now is in one of them.
        #[cfg(feature = "async")]
        if !self.sending.is_over() {
            return false;
        }
        let counts = self.sleep.counts();
        // A spare thread that has not started is counted as a searcher.
        let (workers, spares) = (self.seats.workers().iter(), self.seats.spares());
        let absent = workers.filter(|seat| seat.is_without_thread()).count()
            + spares.filter(|seat| seat.is_absent()).count();
        let all_idle = counts.sleeping() + counts.searching() + absent == self.seats.len();
        // A worker that has just taken a job still counts as searching, but its `taking_jobs` or
        // `busy` is set already. So the queues are checked first, and then the workers that may
        // have emptied them. A job may also have moved from a seat that was still to be checked to
        // one that had been; then the count of moves has changed.
        let moves = self.moves.load(Ordering::SeqCst);
        let empty = self.injector.has_nothing()
            && self.seats.iter().all(|seat| seat.is_empty())
            && self.seats.iter().all(|seat| seat.is_quiescent())
            && self.moves.load(Ordering::SeqCst) == moves;
        if all_idle && empty {
            self.closed.store(true, Ordering::SeqCst);
            while self.wake_any(Comes::Instead) {}
        }
        all_idle && empty
    }
}
