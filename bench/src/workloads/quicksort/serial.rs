//! Quicksort, the plain program.

use super::partition;

/// Sorts `items`.
pub(crate) fn sort(items: &mut [u32]) {
    if items.len() < 2 {
        return;
    }
    let (low, high) = partition(items);
    sort(low);
    sort(high);
}
