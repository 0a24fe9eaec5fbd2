//! Quicksort of random numbers, forking down to single elements. The partition runs on one thread,
//! so the span is linear and two threads cannot halve the time.

mod chili;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod rayon;
mod serial;

use super::{TableGroup, fork_join};
use crate::matrix::args::MatrixOptions;
use crate::matrix::rounds::MatrixRow;
use crate::runtimes::ForkJoinProgram;
use crate::sampling::Sampling;
use crate::splitmix::SplitMix;

/// Moves the median of three to its place and returns what is not above it and what is.
fn partition(items: &mut [u32]) -> (&mut [u32], &mut [u32]) {
    let last = items.len() - 1;
    let middle = last / 2;
    if items[middle] < items[0] {
        items.swap(middle, 0);
    }
    if items[last] < items[0] {
        items.swap(last, 0);
    }
    if items[middle] < items[last] {
        items.swap(middle, last);
    }
    let pivot = items[last];
    let mut place = 0;
    for index in 0..last {
        if items[index] <= pivot {
            items.swap(index, place);
            place += 1;
        }
    }
    items.swap(place, last);
    let (low, rest) = items.split_at_mut(place);
    (low, &mut rest[1..])
}

/// A sort of random numbers.
#[derive(Debug)]
struct Sort {
    items: Vec<u32>,
    expected: Vec<u32>,
}

/// The rows of this workload.
pub(crate) fn measure(options: &MatrixOptions) -> Vec<MatrixRow> {
    let mut random = SplitMix(2);
    let length = 1 << options.scale.pick(20, 22);
    let items: Vec<u32> = (0..length).map(|_| (random.next() >> 32) as u32).collect();
    let mut expected = items.clone();
    expected.sort_unstable();
    let program = Sort { items, expected };
    let what = format!("sort of {length} numbers");
    fork_join(
        options,
        TableGroup::ForkJoin,
        "quicksort",
        &what,
        &program,
        Sampling::mean_of(1),
    )
}

impl ForkJoinProgram for Sort {
    type State = Vec<u32>;
    type Output = ();

    fn state(&self) -> Vec<u32> {
        self.items.clone()
    }
    fn serial(&self, state: &mut Vec<u32>) {
        serial::sort(state)
    }
    fn filch(&self, state: &mut Vec<u32>) {
        filch::sort(state)
    }
    fn rayon(&self, state: &mut Vec<u32>) {
        rayon::sort(state)
    }
    fn chili(&self, scope: &mut ::chili::Scope<'_>, state: &mut Vec<u32>) {
        chili::sort(scope, state)
    }
    #[cfg(feature = "forte")]
    fn forte(&self, worker: &::forte::Worker, state: &mut Vec<u32>) {
        forte::sort(worker, state)
    }
    fn verify(&self, state: &Vec<u32>, (): ()) {
        assert!(*state == self.expected, "the numbers are not sorted");
    }
}
