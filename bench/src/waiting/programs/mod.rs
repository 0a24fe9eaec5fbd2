//! The programs that are timed. Forks cost next to nothing beside the leaves, so an optimal
//! schedule needs the work over the workers, or the longest leaf if that is longer.

mod run;

use std::time::Duration;

use super::forks::{Forks, Spawner};
use crate::splitmix::mix;
use run::{Sleeps, divide, item, list};

/// A program, whatever the number of workers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimedProgram {
    /// The name in filters, tables and JSON.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) about: &'static str,
    shape: ProgramShape,
}

/// How a program forks, and how long its leaves sleep. Lengths are in milliseconds.
#[derive(Clone, Copy, Debug)]
enum ProgramShape {
    /// Items spawned into one scope; an item joins its first part with the rest, if it has several.
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

impl TimedProgram {
    /// All of them, in the order of the table.
    pub(crate) const ALL: [TimedProgram; 13] = [
        scope("scope-leaves", "leaves of 3 ms in a scope", &[3]),
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
        TimedProgram {
            name: "list",
            about: "join(5 ms, the rest of the list)",
            shape: ProgramShape::List(5),
        },
        TimedProgram {
            name: "rare-long",
            about: "a skewed tree: leaves of 2 ms, one in a hundred of 20 ms",
            shape: ProgramShape::Tree {
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
        TimedProgram {
            name: "irregular-balanced",
            about: "a balanced tree: leaves of 1 to 10 ms",
            shape: ProgramShape::Tree {
                leaves: 1,
                split: Split::Halves,
                length: |leaf| 1 + hash(leaf) % 10,
            },
        },
        TimedProgram {
            name: "irregular-skewed",
            about: "a skewed tree: leaves of 1 to 10 ms",
            shape: ProgramShape::Tree {
                leaves: 1,
                split: Split::Skewed,
                length: |leaf| 1 + hash(leaf) % 10,
            },
        },
    ];

    /// What all leaves of `items` items ask to sleep.
    pub(crate) fn work(&self, items: usize) -> Duration {
        Duration::from_millis(match self.shape {
            ProgramShape::Scope(parts) | ProgramShape::Halving(parts) => {
                items as u64 * parts.iter().sum::<u64>()
            }
            ProgramShape::List(length) => items as u64 * length,
            ProgramShape::Tree { leaves, length, .. } => (0..items * leaves).map(length).sum(),
        })
    }

    /// Runs the program on the workers of the pool that this thread belongs to, and returns how its
    /// leaves slept.
    ///
    /// # Panics
    ///
    /// If a leaf did not run, or ran twice.
    pub(crate) fn run<F: Forks>(&self, items: usize) -> Sleeps {
        let sleeps = Sleeps::default();
        match self.shape {
            ProgramShape::Scope(parts) => {
                F::spawn_each(items, Spawner::Owner, |_| item::<F>(parts, &sleeps));
            }
            ProgramShape::Halving(parts) => {
                divide::<F>(0..items, Split::Halves, &|_| item::<F>(parts, &sleeps));
            }
            ProgramShape::List(ms) => list::<F>(items, ms, &sleeps),
            ProgramShape::Tree {
                leaves,
                split,
                length,
            } => divide::<F>(0..items * leaves, split, &|leaf| sleeps.sleep(length(leaf))),
        }
        assert_eq!(sleeps.asked(), self.work(items), "leaves that ran");
        sleeps
    }
}

const fn scope(name: &'static str, about: &'static str, parts: &'static [u64]) -> TimedProgram {
    let shape = ProgramShape::Scope(parts);
    TimedProgram { name, about, shape }
}

const fn halving(name: &'static str, about: &'static str, parts: &'static [u64]) -> TimedProgram {
    let shape = ProgramShape::Halving(parts);
    TimedProgram { name, about, shape }
}

fn hash(number: usize) -> u64 {
    mix(number as u64 + 1)
}
