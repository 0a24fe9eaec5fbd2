//! What a round of ABP01's workers begins with, kept until the next one begins.

use super::{Enabling, MachineView, Powers, ThreadId};
use crate::machine::worker::exponent;

/// The work sequences at the beginning of a round, with φ of each vertex as a power of three.
pub(super) struct Round {
    workers: Vec<Sequence>,
}

/// The work sequence of a worker.
struct Sequence {
    assigned: Option<(ThreadId, u64)>,
    /// From bottom to top.
    deque: Vec<(ThreadId, u64)>,
}

impl Round {
    pub(super) fn of(view: &MachineView<'_>, tree: &Enabling) -> Self {
        let power = |thread, assigned| Some((thread, exponent(tree, thread, assigned)?));
        let workers = view.hands.iter().zip(view.deques).map(|(hand, deque)| {
            let deque = deque.from_bottom();
            Sequence {
                assigned: hand.and_then(|thread| power(thread, true)),
                deque: deque.filter_map(|thread| power(thread, false)).collect(),
            }
        });
        Self {
            workers: workers.collect(),
        }
    }

    /// D: whether the deque of a worker has a vertex. The other workers are H.
    pub(super) fn has_deque(&self, worker: usize) -> bool {
        !self.workers[worker].deque.is_empty()
    }

    pub(super) fn workers(&self) -> std::ops::Range<usize> {
        0..self.workers.len()
    }

    /// φ of the assigned vertices.
    pub(super) fn assigned(&self) -> impl Iterator<Item = (ThreadId, u64)> {
        self.workers.iter().filter_map(|worker| worker.assigned)
    }

    /// φ of the vertices in deques.
    pub(super) fn in_deques(&self) -> impl Iterator<Item = (ThreadId, u64)> {
        self.workers
            .iter()
            .flat_map(|worker| worker.deque.iter().copied())
    }

    /// φ of the vertices that belong to a worker.
    pub(super) fn of_worker(&self, worker: usize) -> impl Iterator<Item = u64> {
        let Sequence { assigned, deque } = &self.workers[worker];
        let all = assigned.iter().chain(deque);
        all.map(|&(_, exponent)| exponent)
    }

    /// φ of all vertices, each so many times.
    pub(super) fn times(&self, times: u64) -> impl Iterator<Item = (u64, u64)> {
        let all = self.assigned().chain(self.in_deques());
        all.map(move |(_, exponent)| (exponent, times))
    }
}

/// Whether one sum of multiples of powers of three is at most another.
pub(super) fn at_most(
    left: impl Iterator<Item = (u64, u64)>,
    right: impl Iterator<Item = (u64, u64)>,
) -> bool {
    let [left, right] = [Powers::multiples(left), Powers::multiples(right)];
    left.compare(1, &right, 1).is_le()
}
