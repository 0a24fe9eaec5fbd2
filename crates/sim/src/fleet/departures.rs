use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A request on its way out.
#[derive(Debug)]
pub(super) struct Departure<L> {
    pub(super) at: f64,
    /// The number of the request: those that leave at one instant leave in the order of their
    /// arrivals.
    pub(super) number: u64,
    pub(super) server: usize,
    pub(super) dispatcher: usize,
    pub(super) lease: L,
}

/// The requests at the servers, by the time at which they leave.
#[derive(Debug)]
pub(super) struct Departures<L>(BinaryHeap<Departure<L>>);

impl<L> Departures<L> {
    pub(super) fn new() -> Self {
        Self(BinaryHeap::new())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, departure: Departure<L>) {
        self.0.push(departure);
    }

    /// The next to leave, if it does so by `now`.
    pub(super) fn by(&mut self, now: f64) -> Option<Departure<L>> {
        let next = self.0.peek()?;
        if next.at <= now { self.0.pop() } else { None }
    }
}

/// The heap gives the greatest first: the earliest is the greatest.
impl<L> Ord for Departure<L> {
    fn cmp(&self, other: &Self) -> Ordering {
        let later = other.at.total_cmp(&self.at);
        later.then(other.number.cmp(&self.number))
    }
}

impl<L> PartialOrd for Departure<L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<L> PartialEq for Departure<L> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<L> Eq for Departure<L> {}
