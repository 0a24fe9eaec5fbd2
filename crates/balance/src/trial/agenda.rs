use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fmt;
use std::time::Instant;

/// Calls that are to be made at given instants.
#[derive(Debug, Default)]
pub(super) struct Agenda {
    due: BinaryHeap<DueCall>,
    /// Numbers the calls, so that calls of one instant are made in the order in which they were
    /// added.
    added: u64,
}

/// A call and its instant.
pub(super) struct DueCall {
    at: Instant,
    number: u64,
    pub(super) call: Box<dyn FnOnce() + Send>,
}

impl Agenda {
    /// Adds a call. Returns whether it is now the first.
    pub(super) fn add(&mut self, at: Instant, call: Box<dyn FnOnce() + Send>) -> bool {
        let is_first = self.next().is_none_or(|next| at < next);
        let number = self.added;
        self.added += 1;
        self.due.push(DueCall { at, number, call });
        is_first
    }

    /// The instant of the first call.
    pub(super) fn next(&self) -> Option<Instant> {
        self.due.peek().map(|first| first.at)
    }

    /// The first call.
    pub(super) fn pop(&mut self) -> Option<DueCall> {
        self.due.pop()
    }
}

/// The heap gives the greatest first, so the earliest call is the greatest.
impl Ord for DueCall {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl PartialOrd for DueCall {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for DueCall {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for DueCall {}

impl fmt::Debug for DueCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.at)
    }
}
