//! Quicksort with forte: a fork for every partition.

use forte::Worker;

use super::partition;

/// Sorts `items`.
pub(crate) fn sort(w: &Worker, items: &mut [u32]) {
    if items.len() < 2 {
        return;
    }
    let (low, high) = partition(items);
    w.join(|w| sort(w, low), |w| sort(w, high));
}
