//! Where the last job from outside was sent, for dispatchers that do not ask the policy.

use filch_deque::Padded;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// The worker to which the policy sent the last job from outside, and whether it sends every
/// further job there until a worker falls idle.
///
/// Written under the lock of the dispatcher.
///
/// Ordering: Relaxed throughout. A dispatcher that reads a value out of date sends its job by a
/// decision of a moment ago; the queue publishes the job.
pub(super) struct LastSent(Padded<AtomicUsize>);

/// The policy sends every further job there.
const PERSISTS: usize = 1;

impl LastSent {
    pub(super) fn new() -> Self {
        Self(Padded(AtomicUsize::new(0)))
    }

    pub(super) fn set(&self, worker: usize, persists: bool) {
        let word = (worker + 1) * 2 + usize::from(persists);
        self.0.store(word, Ordering::Relaxed);
    }

    /// The policy has to be asked again: a worker fell idle, or a batch was sent.
    pub(super) fn persist_no_more(&self) {
        let word = self.0.load(Ordering::Relaxed);
        // Many workers fall idle while no job is sent, and the line is shared.
        if word & PERSISTS != 0 {
            self.0.store(word & !PERSISTS, Ordering::Relaxed);
        }
    }

    /// The worker that got the last job, if the policy keeps to it.
    pub(super) fn persistent(&self) -> Option<usize> {
        self.read(|word| word & PERSISTS != 0)
    }

    /// The worker that got the last job.
    pub(super) fn worker(&self) -> Option<usize> {
        self.read(|_| true)
    }

    fn read(&self, counts: impl FnOnce(usize) -> bool) -> Option<usize> {
        let word = self.0.load(Ordering::Relaxed);
        (counts(word)).then(|| (word / 2).checked_sub(1))?
    }
}
