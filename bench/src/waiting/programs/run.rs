//! The recursions, whatever the runtime, and the leaves that sleep.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::super::forks::Forks;
use super::{Split, hash};

/// What the leaves of a run asked to sleep, and what they slept: a busy machine wakes them late.
#[derive(Debug, Default)]
pub(crate) struct Sleeps {
    asked_ms: AtomicU64,
    taken_ns: AtomicU64,
    longest_ns: AtomicU64,
}

impl Sleeps {
    pub(super) fn sleep(&self, ms: u64) {
        let start = Instant::now();
        thread::sleep(Duration::from_millis(ms));
        let taken = start.elapsed().as_nanos() as u64;
        self.asked_ms.fetch_add(ms, Ordering::Relaxed);
        self.taken_ns.fetch_add(taken, Ordering::Relaxed);
        self.longest_ns.fetch_max(taken, Ordering::Relaxed);
    }

    pub(super) fn asked(&self) -> Duration {
        Duration::from_millis(self.asked_ms.load(Ordering::Relaxed))
    }

    fn taken(&self) -> Duration {
        Duration::from_nanos(self.taken_ns.load(Ordering::Relaxed))
    }

    /// How long the leaves slept, over what they asked for.
    pub(crate) fn lateness(&self) -> f64 {
        self.taken().div_duration_f64(self.asked())
    }

    /// The time of an optimal schedule of leaves as long as these turned out to be.
    pub(crate) fn ideal(&self, workers: usize) -> Duration {
        let longest = Duration::from_nanos(self.longest_ns.load(Ordering::Relaxed));
        self.taken().div_f64(workers as f64).max(longest)
    }
}

/// Joins the first part with the rest.
pub(super) fn item<F: Forks>(parts: &[u64], sleeps: &Sleeps) {
    match parts {
        [] => {}
        [last] => sleeps.sleep(*last),
        [first, rest @ ..] => F::join(|| sleeps.sleep(*first), || item::<F>(rest, sleeps)),
    }
}

/// Joins the head with the tail.
pub(super) fn list<F: Forks>(length: usize, ms: u64, sleeps: &Sleeps) {
    if length > 0 {
        F::join(|| sleeps.sleep(ms), || list::<F>(length - 1, ms, sleeps));
    }
}

/// Calls `leaf` with each number of `leaves`, which must not be empty.
pub(super) fn divide<F: Forks>(leaves: Range<usize>, split: Split, leaf: &(impl Fn(usize) + Sync)) {
    if leaves.len() == 1 {
        return leaf(leaves.start);
    }
    let middle = leaves.start
        + match split {
            Split::Halves => leaves.len() / 2,
            Split::Skewed => {
                let share = hash(leaves.start ^ (leaves.end << 32)) % 256;
                (leaves.len() * share as usize / 1024).max(1)
            }
        };
    F::join(
        || divide::<F>(leaves.start..middle, split, leaf),
        || divide::<F>(middle..leaves.end, split, leaf),
    );
}
