//! A seat: the right to run, which comes with a deque.

use std::collections::VecDeque;

/// What the worker in a seat does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// It executes its newest frame.
    Works,
    /// It has no frame and steals.
    Seeks,
    /// Its newest frame waits for stolen children.
    Waits {
        /// The step in which that began.
        since: u64,
    },
    /// It is being woken.
    Wakes,
    /// Nothing: the seat was an extra one and was given up.
    Vacant,
}

#[derive(Clone, Debug)]
pub(super) struct Seat {
    /// The worker that sits here, or sat here before the seat was given up.
    pub(super) worker: usize,
    pub(super) doing: Doing,
    /// Its worker is busy stealing or waking before this step.
    pub(super) until: u64,
    /// Since when its worker has waited in vain while a task was ready.
    pub(super) stranded_since: Option<u64>,
    /// The workers that want this seat back, under [`WayBack::Own`](super::WayBack::Own).
    pub(super) wanted: VecDeque<usize>,
}

impl Seat {
    /// Whether its worker waits for stolen children.
    pub(super) fn waits(&self) -> bool {
        matches!(self.doing, Doing::Waits { .. })
    }

    pub(super) fn of(worker: usize) -> Self {
        Self {
            worker,
            doing: Doing::Seeks,
            until: 0,
            stranded_since: None,
            wanted: VecDeque::new(),
        }
    }
}
