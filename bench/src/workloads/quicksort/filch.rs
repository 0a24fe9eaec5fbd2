//! Quicksort with filch: a fork for every partition.

use super::partition;

/// Sorts `items`.
pub(crate) fn sort(items: &mut [u32]) {
    if items.len() < 2 {
        return;
    }
    let (low, high) = partition(items);
    filch::join(|| sort(low), || sort(high));
}
