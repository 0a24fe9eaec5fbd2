//! Searches that end early.

use core::ops::Range;

use super::PIECES;
use crate::scheduler::api::join;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// An item for which `is_wanted` holds, whichever worker finds one first. The others stop: no
/// worker tests more than one further item after one was found.
///
/// ```
/// let numbers: Vec<u32> = (0..10_000).collect();
/// let found = filch::find_any(&numbers, |n| n % 1000 == 999);
/// assert_eq!(found.map(|n| n % 1000), Some(999));
/// assert_eq!(filch::find_any(&numbers, |n| *n > 10_000), None);
/// ```
///
/// # Panics
///
/// With the payload of `is_wanted`, if it panics.
pub fn find_any<T, F>(items: &[T], is_wanted: F) -> Option<&T>
where
    T: Sync,
    F: Fn(&T) -> bool + Sync,
{
    let found = AtomicUsize::new(usize::MAX);
    let places = 0..items.len();
    let search = Search {
        piece: places.len().div_ceil(PIECES).max(1),
        // Ordering: an answer that is out of date only makes the search longer.
        is_over: |_| found.load(Ordering::Relaxed) != usize::MAX,
        test: |place| {
            if is_wanted(&items[place]) {
                // Ordering: read after the joins of the search, which order it.
                found.store(place, Ordering::Relaxed);
            }
        },
    };
    search.run(places);
    items.get(found.into_inner())
}

/// The first item for which `is_wanted` holds: the same on any number of workers. Workers stop at
/// items behind one that was found; those that are being tested by then are tested to their end.
///
/// ```
/// let numbers: Vec<u32> = (0..10_000).collect();
/// assert_eq!(filch::find_first(&numbers, |n| n % 1000 == 999), Some(&999));
/// ```
///
/// # Panics
///
/// As [`find_any`].
pub fn find_first<T, F>(items: &[T], is_wanted: F) -> Option<&T>
where
    T: Sync,
    F: Fn(&T) -> bool + Sync,
{
    let first = AtomicUsize::new(usize::MAX);
    let places = 0..items.len();
    let search = Search {
        piece: places.len().div_ceil(PIECES).max(1),
        // Ordering: as in `find_any`.
        is_over: |place| place > first.load(Ordering::Relaxed),
        test: |place| {
            if is_wanted(&items[place]) {
                // Ordering: as in `find_any`.
                first.fetch_min(place, Ordering::Relaxed);
            }
        },
    };
    search.run(places);
    items.get(first.into_inner())
}

/// Tests all places of a slice, but for those at which the search is over.
struct Search<O, F> {
    /// A range of so many places is not divided any more.
    piece: usize,
    is_over: O,
    test: F,
}

impl<O, F> Search<O, F>
where
    O: Fn(usize) -> bool + Sync,
    F: Fn(usize) + Sync,
{
    fn run(&self, places: Range<usize>) {
        if places.len() <= self.piece {
            return places
                .take_while(|place| !(self.is_over)(*place))
                .for_each(&self.test);
        }
        let middle = places.start + places.len() / 2;
        if !(self.is_over)(places.start) {
            join(
                || self.run(places.start..middle),
                || self.run(middle..places.end),
            );
        }
    }
}
