//! Statistics on their way to Envoy's.
//!
//! To change one of Envoy's counters takes a call and two or three atomic operations, and a request
//! changes four of them. So each worker thread gathers the changes of a cluster, and makes them in
//! one go. The changes that are left to be made are never more than a quarter of the requests that
//! the thread has under way. With fewer than eight of them each change is made at once, so that
//! Envoy's statistics are exact when the last has ended.

use std::cell::Cell;

/// Changes may be left to be made if there are so many times as many requests under way.
const REQUESTS_PER_CHANGE: u32 = 4;
/// With fewer requests under way, no change is left to be made.
const FEW_REQUESTS: u32 = 8;
/// However many requests are under way, no more changes than these are left to be made.
const MOST_CHANGES: u32 = 32;

/// The counters, by position.
pub(crate) const SENT_TO_IDLE: usize = 0;
pub(crate) const SENT_TO_BUSY: usize = 1;
pub(crate) const ANSWERED: usize = 2;
pub(crate) const UNANSWERED: usize = 3;
pub(crate) const TOLD_IDLE: usize = 4;
pub(crate) const TOLD_BUSY: usize = 5;
const COUNTERS: usize = 6;

/// What one worker thread counts of one cluster.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counters: [Cell<u32>; COUNTERS],
    changes: Cell<u32>,
    in_flight: Cell<u32>,
}

/// The changes to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    /// By position, what to add to the counters.
    pub(crate) counters: [u32; COUNTERS],
    /// What to add to the number of requests under way.
    pub(crate) in_flight: i64,
}

impl Tally {
    /// A request was sent. Returns the changes that are to be made now, if any are.
    #[inline]
    pub(crate) fn begin(&self, counter: usize) -> Option<Changes> {
        self.in_flight.set(self.in_flight.get() + 1);
        self.note(counter)
    }

    /// A request has ended. Returns the changes that are to be made now, if any are.
    #[inline]
    pub(crate) fn end(&self, counter: usize) -> Option<Changes> {
        self.in_flight.set(self.in_flight.get() - 1);
        self.note(counter)
    }

    /// Something that is counted has happened to a request. Returns the changes that are to be made
    /// now, if any are.
    #[inline]
    pub(crate) fn note(&self, counter: usize) -> Option<Changes> {
        let counter = &self.counters[counter];
        counter.set(counter.get() + 1);
        let changes = self.changes.get() + 1;
        self.changes.set(changes);
        let in_flight = self.in_flight.get();
        let many = changes * REQUESTS_PER_CHANGE > in_flight || changes > MOST_CHANGES;
        (many || in_flight < FEW_REQUESTS).then(|| self.take())
    }

    fn take(&self) -> Changes {
        self.changes.set(0);
        let counters = self.counters.each_ref().map(Cell::take);
        let sum = |counted: [usize; 2]| -> i64 {
            let counted = counted.map(|it| i64::from(counters[it]));
            counted.iter().sum()
        };
        let in_flight = sum([SENT_TO_IDLE, SENT_TO_BUSY]) - sum([ANSWERED, UNANSWERED]);
        Changes {
            counters,
            in_flight,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Envoy shows.
    #[derive(Default)]
    struct Shown([i64; COUNTERS], i64);

    impl Shown {
        fn change(&mut self, changes: Option<Changes>) {
            let Some(changes) = changes else { return };
            for (shown, more) in self.0.iter_mut().zip(changes.counters) {
                *shown += i64::from(more);
            }
            self.1 += changes.in_flight;
        }
    }

    #[test]
    fn few_requests_are_shown_at_once() {
        let (tally, mut shown) = (Tally::default(), Shown::default());
        for sent in 1..8 {
            shown.change(tally.begin(SENT_TO_IDLE));
            assert_eq!((shown.0[SENT_TO_IDLE], shown.1), (sent, sent));
        }
        shown.change(tally.end(UNANSWERED));
        assert_eq!((shown.0[UNANSWERED], shown.1), (1, 6));
    }

    #[test]
    fn what_is_shown_is_off_by_a_quarter_at_most_and_exact_in_the_end() {
        let (tally, mut shown) = (Tally::default(), Shown::default());
        let mut calls = 0;
        for _ in 0..10 {
            for (step, up) in [(1, true), (-1, false)] {
                for _ in 0..1000 {
                    let changes = if up {
                        tally.begin(SENT_TO_BUSY)
                    } else {
                        shown.change(tally.note(TOLD_IDLE));
                        tally.end(ANSWERED)
                    };
                    calls += usize::from(changes.is_some());
                    shown.change(changes);
                    let exact = i64::from(tally.in_flight.get());
                    let most = if exact < 8 { 0 } else { exact / 4 };
                    let most = most.min(i64::from(MOST_CHANGES));
                    assert!(
                        (shown.1 - exact).abs() <= most,
                        "{} {exact} {step}",
                        shown.1
                    );
                }
            }
        }
        assert_eq!(shown.1, 0);
        assert_eq!(shown.0, [0, 10_000, 10_000, 0, 10_000, 0]);
        assert!(calls < 3_500, "{calls}");
    }
}
