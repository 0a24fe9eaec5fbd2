use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What happens at an instant.
#[derive(Debug)]
pub(super) struct FleetEvent<W> {
    pub(super) at: f64,
    /// The number of the request: what happens at one instant happens in the order of arrivals.
    pub(super) number: u64,
    pub(super) what: W,
}

/// What is to happen, by time.
#[derive(Debug)]
pub(super) struct Agenda<W>(BinaryHeap<FleetEvent<W>>);

impl<W> Agenda<W> {
    pub(super) fn new() -> Self {
        Self(BinaryHeap::new())
    }

    pub(super) fn add(&mut self, at: f64, number: u64, what: W) {
        self.0.push(FleetEvent { at, number, what });
    }

    /// The next event, if it happens by `now`.
    pub(super) fn by(&mut self, now: f64) -> Option<FleetEvent<W>> {
        let next = self.0.peek()?;
        if next.at <= now { self.0.pop() } else { None }
    }
}

/// The heap gives the greatest first: the earliest is the greatest.
impl<W> Ord for FleetEvent<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        let later = other.at.total_cmp(&self.at);
        later.then(other.number.cmp(&self.number))
    }
}

impl<W> PartialOrd for FleetEvent<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> PartialEq for FleetEvent<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<W> Eq for FleetEvent<W> {}
