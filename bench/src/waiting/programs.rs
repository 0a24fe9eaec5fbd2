//! The programs that are timed. All parallelism is in forks that cost next to nothing, so the ideal
//! time, which an optimal schedule needs, is the work over the workers or the longest leaf.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::forks::{Forks, Spawner};
use crate::splitmix::mix;

/// A program, whatever the number of workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    /// The name in filters, tables and JSON.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) about: &'static str,
    shape: Shape,
}

/// How a program forks, and how long its leaves sleep. Lengths are in milliseconds.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Items spawned into one scope; an item joins its first part with the rest.
    Scope(&'static [u64]),
    /// The same items under a recursive join, as parallel iterators make it.
    Halving(&'static [u64]),
    /// A join of the head, a leaf, and the tail.
    List(u64),
    /// A tree of joins over so many leaves for each item.
    Tree {
        leaves: usize,
        split: Split,
        length: fn(usize) -> u64,
    },
}

/// How a tree of joins divides its leaves.
#[derive(Clone, Copy, Debug)]
enum Split {
    /// Into two equal parts.
    Halves,
    /// A random share of at most a quarter goes left.
    Skewed,
}

impl Program {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [Program; 12] = [
        scope(
            "scope-1:10",
            "items of join(1 ms, 10 ms) in a scope",
            &[1, 10],
        ),
        scope(
            "scope-3:10",
            "items of join(3 ms, 10 ms) in a scope",
            &[3, 10],
        ),
        scope(
            "scope-9:10",
            "items of join(9 ms, 10 ms) in a scope",
            &[9, 10],
        ),
        scope(
            "scope-nested",
            "items of join(1 ms, join(1 ms, join(1 ms, 10 ms))) in a scope",
            &[1, 1, 1, 10],
        ),
        halving(
            "halving-1:10",
            "items of join(1 ms, 10 ms) under joins",
            &[1, 10],
        ),
        halving(
            "halving-3:10",
            "items of join(3 ms, 10 ms) under joins",
            &[3, 10],
        ),
        halving(
            "halving-9:10",
            "items of join(9 ms, 10 ms) under joins",
            &[9, 10],
        ),
        halving(
            "halving-nested",
            "items of join(1 ms, join(1 ms, join(1 ms, 10 ms))) under joins",
            &[1, 1, 1, 10],
        ),
        Program {
            name: "list",
            about: "join(5 ms, the rest of the list)",
            shape: Shape::List(5),
        },
        Program {
            name: "rare-long",
            about: "a skewed tree: leaves of 2 ms, one in a hundred of 20 ms",
            shape: Shape::Tree {
                leaves: 4,
                split: Split::Skewed,
                length: |leaf| {
                    if hash(leaf).is_multiple_of(100) {
                        20
                    } else {
                        2
                    }
                },
            },
        },
        Program {
            name: "irregular-balanced",
            about: "a balanced tree: leaves of 1 to 10 ms",
            shape: Shape::Tree {
                leaves: 1,
                split: Split::Halves,
                length: |leaf| 1 + hash(leaf) % 10,
            },
        },
        Program {
            name: "irregular-skewed",
            about: "a skewed tree: leaves of 1 to 10 ms",
            shape: Shape::Tree {
                leaves: 1,
                split: Split::Skewed,
                length: |leaf| 1 + hash(leaf) % 10,
            },
        },
    ];

    /// The time of an optimal schedule of `items` items on `workers` workers.
    pub(crate) fn ideal(&self, items: usize, workers: usize) -> Duration {
        let even = self.work(items).div_f64(workers as f64);
        even.max(Duration::from_millis(self.longest(items)))
    }

    /// What all leaves sleep together.
    fn work(&self, items: usize) -> Duration {
        Duration::from_millis(match self.shape {
            Shape::Scope(parts) | Shape::Halving(parts) => items as u64 * parts.iter().sum::<u64>(),
            Shape::List(length) => items as u64 * length,
            Shape::Tree { leaves, length, .. } => (0..items * leaves).map(length).sum(),
        })
    }

    fn longest(&self, items: usize) -> u64 {
        match self.shape {
            Shape::Scope(parts) | Shape::Halving(parts) => parts.iter().copied().max(),
            Shape::List(length) => Some(length),
            Shape::Tree { leaves, length, .. } => (0..items * leaves).map(length).max(),
        }
        .unwrap_or_default()
    }

    /// Runs the program on the workers of the pool that this thread belongs to.
    ///
    /// # Panics
    ///
    /// If a leaf did not run, or ran twice.
    pub(crate) fn run<F: Forks>(&self, items: usize) {
        let slept = Slept::default();
        match self.shape {
            Shape::Scope(parts) => {
                F::spawn_each(items, Spawner::Owner, |_| item::<F>(parts, &slept));
            }
            Shape::Halving(parts) => {
                divide::<F>(0..items, Split::Halves, &|_| item::<F>(parts, &slept));
            }
            Shape::List(length) => list::<F>(items, length, &slept),
            Shape::Tree {
                leaves,
                split,
                length,
            } => divide::<F>(0..items * leaves, split, &|leaf| slept.sleep(length(leaf))),
        }
        let slept = Duration::from_millis(slept.0.into_inner());
        assert_eq!(slept, self.work(items), "leaves that ran");
    }
}

const fn scope(name: &'static str, about: &'static str, parts: &'static [u64]) -> Program {
    let shape = Shape::Scope(parts);
    Program { name, about, shape }
}

const fn halving(name: &'static str, about: &'static str, parts: &'static [u64]) -> Program {
    let shape = Shape::Halving(parts);
    Program { name, about, shape }
}

/// The milliseconds that the leaves of a run asked to sleep.
#[derive(Debug, Default)]
struct Slept(AtomicU64);

impl Slept {
    fn sleep(&self, ms: u64) {
        thread::sleep(Duration::from_millis(ms));
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

fn item<F: Forks>(parts: &[u64], slept: &Slept) {
    match parts {
        [] => {}
        [last] => slept.sleep(*last),
        [first, rest @ ..] => F::join(|| slept.sleep(*first), || item::<F>(rest, slept)),
    }
}

fn list<F: Forks>(length: usize, ms: u64, slept: &Slept) {
    if length > 0 {
        F::join(|| slept.sleep(ms), || list::<F>(length - 1, ms, slept));
    }
}

/// Calls `leaf` with each number of `leaves`, which must not be empty.
fn divide<F: Forks>(leaves: Range<usize>, split: Split, leaf: &(impl Fn(usize) + Sync)) {
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

fn hash(number: usize) -> u64 {
    mix(number as u64 + 1)
}
