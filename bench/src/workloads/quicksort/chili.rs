//! Quicksort with chili: a fork for every partition.

use chili::Scope;

use super::partition;

/// Sorts `items`.
pub(crate) fn sort(s: &mut Scope<'_>, items: &mut [u32]) {
    if items.len() < 2 {
        return;
    }
    let (low, high) = partition(items);
    s.join(|s| sort(s, low), |s| sort(s, high));
}
