//! The names of computations.

use std::fmt;
use std::str::FromStr;

use super::computation::Computation;
use super::explicit::Dag;
use super::families::random::Joins;
use super::families::{
    Chain, Comb, Fib, Items, List, Loop, Stairs, Tree, Under, Uneven, figure1, kstrict, random,
};
use super::measures::Measures;
use super::regular::Regular;
use crate::error::{Invalid, Names};
use crate::number;

/// A computation that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `figure1`: the example of BL99.
    Figure1,
    /// `fib:N`.
    Fib(Fib),
    /// `tree:DEPTH:GRAIN`.
    Tree(Tree),
    /// `chain:N`.
    Chain(Chain),
    /// `loop:N:GRAIN`.
    Loop(Loop),
    /// `comb:N`.
    Comb(Comb),
    /// `items:N:SHORT:LONG`, `halving:N:SHORT:LONG`, `nested:M:N:SHORT:LONG` or
    /// `deep:N:FRAME:SHORT:LONG`.
    Items(Items),
    /// `list:N:GRAIN`.
    List(List),
    /// `stairs:N:FILLERS:GRAIN`.
    Stairs(Stairs),
    /// `uneven:LEAVES:SHORT:LONG`.
    Uneven(Uneven),
    /// `random:THREADS:SEED`: fully strict.
    Random {
        /// The number of threads.
        threads: u32,
        /// Which of the computations of this size.
        seed: u64,
    },
    /// `strict:THREADS:SEED`: strict, but not fully.
    Strict {
        /// The number of threads.
        threads: u32,
        /// Which of the computations of this size.
        seed: u64,
    },
    /// `kstrict:K:DEPTH:GRAIN`: a tree whose threads join with their K-th ancestors too.
    KStrict {
        /// How far up threads join.
        k: u32,
        /// Levels below the root.
        depth: u32,
        /// Instructions of a leaf.
        grain: u32,
    },
}

/// More would not fit into the 64 bits that work is counted in.
const MOST_FIB: u64 = 80;
const MOST_DEPTH: u64 = 40;
const MOST_GRAIN: u64 = 1_000_000;
const MOST_CHAIN: u64 = 1_000_000_000_000_000;
const MOST_ITERATIONS: u64 = 1_000_000_000;
const MOST_SPINE: u64 = 100_000_000;
const MOST_ITEMS: u64 = 100_000_000;
const MOST_SCOPES: u64 = 10_000;
const MOST_FRAME: u64 = 1_000_000;
/// These are written down whole before they run.
const MOST_RANDOM: u64 = 1_000_000;
const MOST_KSTRICT_DEPTH: u64 = 16;
const MOST_KSTRICT_GRAIN: u64 = 100;

impl Family {
    /// How families are typed, and what they mean.
    pub const NAMES: Names = &[
        ("figure1", "the example of BL99, Figure 1"),
        ("fib:N", "the Nth Fibonacci number by double recursion"),
        (
            "tree:DEPTH:GRAIN",
            "a complete binary tree of threads whose leaves are GRAIN instructions long",
        ),
        ("chain:N", "one thread of N instructions"),
        (
            "loop:N:GRAIN",
            "N children of GRAIN instructions, spawned one after the other",
        ),
        ("comb:N", "N threads one below the other, each with a tooth"),
        (
            "items:N:SHORT:LONG",
            "a scope of N items, each of which forks a short and a long leaf",
        ),
        (
            "halving:N:SHORT:LONG",
            "the same items under a balanced tree of forks",
        ),
        (
            "nested:M:N:SHORT:LONG",
            "a scope of M scopes of N such items each",
        ),
        (
            "deep:N:FRAME:SHORT:LONG",
            "a scope of N such items whose frames have size FRAME",
        ),
        (
            "list:N:GRAIN",
            "N threads one below the other, each with a leaf of GRAIN instructions",
        ),
        (
            "stairs:N:FILLERS:GRAIN",
            "N threads one below the other that work before they spawn, beside FILLERS leaves",
        ),
        (
            "uneven:LEAVES:SHORT:LONG",
            "a tree split at random; one leaf in a hundred is LONG, the others are SHORT",
        ),
        (
            "random:THREADS:SEED",
            "drawn at random, fully strict, so many threads",
        ),
        (
            "strict:THREADS:SEED",
            "drawn at random, strict but not fully, so many threads",
        ),
        (
            "kstrict:K:DEPTH:GRAIN",
            "a binary tree of threads that join with their K-th ancestors too: K-strict",
        ),
    ];

    /// Work, span and the rest; found without unfolding the computation if it is regular.
    pub fn measures(&self) -> Measures {
        match self {
            Self::Fib(rule) => rule.measures(),
            Self::Tree(rule) => rule.measures(),
            Self::Chain(rule) => rule.measures(),
            Self::Loop(rule) => rule.measures(),
            Self::Comb(rule) => rule.measures(),
            Self::Items(rule) => rule.measures(),
            Self::List(rule) => rule.measures(),
            Self::Stairs(rule) => rule.measures(),
            Self::Uneven(rule) => rule.measures(),
            Self::Figure1 | Self::Random { .. } | Self::Strict { .. } | Self::KStrict { .. } => {
                self.dag().measures()
            }
        }
    }

    /// What can be executed.
    pub fn computation(&self) -> Computation {
        match *self {
            Self::Fib(rule) => Computation::Fib(rule),
            Self::Tree(rule) => Computation::Tree(rule),
            Self::Chain(rule) => Computation::Chain(rule),
            Self::Loop(rule) => Computation::Loop(rule),
            Self::Comb(rule) => Computation::Comb(rule),
            Self::Items(rule) => Computation::Items(rule),
            Self::List(rule) => Computation::List(rule),
            Self::Stairs(rule) => Computation::Stairs(rule),
            Self::Uneven(rule) => Computation::Uneven(rule),
            Self::Figure1 | Self::Random { .. } | Self::Strict { .. } | Self::KStrict { .. } => {
                Computation::Explicit(self.dag())
            }
        }
    }

    /// The computation with every instruction written down; this takes memory for all of it.
    pub fn dag(&self) -> Dag {
        match self {
            Self::Figure1 => figure1::dag(),
            Self::Fib(rule) => Dag::whole(rule),
            Self::Tree(rule) => Dag::whole(rule),
            Self::Chain(rule) => Dag::whole(rule),
            Self::Loop(rule) => Dag::whole(rule),
            Self::Comb(rule) => Dag::whole(rule),
            Self::Items(rule) => Dag::whole(rule),
            Self::List(rule) => Dag::whole(rule),
            Self::Stairs(rule) => Dag::whole(rule),
            Self::Uneven(rule) => Dag::whole(rule),
            &Self::Random { threads, seed } => random::dag(threads, seed, Joins::Parent),
            &Self::Strict { threads, seed } => random::dag(threads, seed, Joins::Ancestors),
            &Self::KStrict { k, depth, grain } => kstrict::dag(k, depth, grain),
        }
    }
}

/// The numbers of a name such as `tree:3:1`, each within its bounds.
struct Parameters<'a> {
    name: &'a str,
    values: Vec<&'a str>,
}

impl Parameters<'_> {
    fn get(&self, at: usize, letters: &str, from: u64, to: u64) -> Result<u64, Invalid> {
        let value = self.values.get(at).and_then(|text| number::whole(text));
        value
            .filter(|value| (from..=to).contains(value))
            .ok_or_else(|| {
                let needs = format!("{letters} must be a whole number from {from} to {to}");
                Invalid::value(self.name, needs)
            })
    }
}

impl FromStr for Family {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Invalid> {
        let mut values = name.split(':');
        let kind = values.next().unwrap_or(name);
        let numbers = Parameters {
            name,
            values: values.collect(),
        };
        let small = |at, letters, from, to: u64| {
            let number = numbers.get(at, letters, from, to)?;
            Ok::<u32, Invalid>(number as u32)
        };
        Ok(match (kind, numbers.values.len()) {
            ("figure1", 0) => Self::Figure1,
            ("fib", 1) => Self::Fib(Fib {
                n: small(0, "N", 0, MOST_FIB)? as u8,
            }),
            ("tree", 2) => Self::Tree(Tree {
                depth: small(0, "DEPTH", 0, MOST_DEPTH)? as u8,
                grain: small(1, "GRAIN", 1, MOST_GRAIN)?,
            }),
            ("chain", 1) => Self::Chain(Chain {
                length: numbers.get(0, "N", 1, MOST_CHAIN)?,
            }),
            ("loop", 2) => Self::Loop(Loop {
                iterations: small(0, "N", 1, MOST_ITERATIONS)?,
                grain: small(1, "GRAIN", 1, MOST_GRAIN)?,
            }),
            ("comb", 1) => Self::Comb(Comb {
                spine: small(0, "N", 1, MOST_SPINE)?,
            }),
            ("items" | "halving", 3) => Self::Items(Items {
                under: match kind {
                    "items" => Under::Scope,
                    _ => Under::Halving,
                },
                items: small(0, "N", 1, MOST_ITEMS)?,
                short: small(1, "SHORT", 1, MOST_GRAIN)?,
                long: small(2, "LONG", 1, MOST_GRAIN)?,
                frame: 1,
            }),
            ("nested", 4) => Self::Items(Items {
                under: Under::Scopes(small(0, "M", 1, MOST_SCOPES)?),
                items: small(1, "N", 1, MOST_SCOPES)?,
                short: small(2, "SHORT", 1, MOST_GRAIN)?,
                long: small(3, "LONG", 1, MOST_GRAIN)?,
                frame: 1,
            }),
            ("deep", 4) => Self::Items(Items {
                under: Under::Scope,
                items: small(0, "N", 1, MOST_ITEMS)?,
                frame: small(1, "FRAME", 2, MOST_FRAME)?,
                short: small(2, "SHORT", 1, MOST_GRAIN)?,
                long: small(3, "LONG", 1, MOST_GRAIN)?,
            }),
            ("list", 2) => Self::List(List {
                length: small(0, "N", 1, MOST_SPINE)?,
                grain: small(1, "GRAIN", 1, MOST_GRAIN)?,
            }),
            ("stairs", 3) => Self::Stairs(Stairs {
                stairs: small(0, "N", 1, MOST_SPINE)?,
                fillers: small(1, "FILLERS", 0, MOST_ITEMS)?,
                grain: small(2, "GRAIN", 1, MOST_GRAIN)?,
            }),
            ("uneven", 3) => Self::Uneven(Uneven {
                leaves: small(0, "LEAVES", 1, MOST_SPINE)?,
                short: small(1, "SHORT", 1, MOST_GRAIN)?,
                long: small(2, "LONG", 1, MOST_GRAIN)?,
            }),
            ("random", 2) => Self::Random {
                threads: small(0, "THREADS", 1, MOST_RANDOM)?,
                seed: numbers.get(1, "SEED", 0, u64::MAX)?,
            },
            ("strict", 2) => Self::Strict {
                threads: small(0, "THREADS", 3, MOST_RANDOM)?,
                seed: numbers.get(1, "SEED", 0, u64::MAX)?,
            },
            ("kstrict", 3) => {
                let depth = small(1, "DEPTH", 1, MOST_KSTRICT_DEPTH)?;
                Self::KStrict {
                    k: small(0, "K", 1, u64::from(depth))?,
                    depth,
                    grain: small(2, "GRAIN", 1, MOST_KSTRICT_GRAIN)?,
                }
            }
            _ => return Err(Invalid::unknown("family", name, Self::NAMES)),
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Figure1 => f.write_str("figure1"),
            Self::Fib(rule) => write!(f, "fib:{}", rule.n),
            Self::Tree(rule) => write!(f, "tree:{}:{}", rule.depth, rule.grain),
            Self::Chain(rule) => write!(f, "chain:{}", rule.length),
            Self::Loop(rule) => write!(f, "loop:{}:{}", rule.iterations, rule.grain),
            Self::Comb(rule) => write!(f, "comb:{}", rule.spine),
            Self::Items(rule) => rule.fmt(f),
            Self::List(rule) => write!(f, "list:{}:{}", rule.length, rule.grain),
            Self::Stairs(rule) => {
                write!(f, "stairs:{}:{}:{}", rule.stairs, rule.fillers, rule.grain)
            }
            Self::Uneven(rule) => {
                write!(f, "uneven:{}:{}:{}", rule.leaves, rule.short, rule.long)
            }
            Self::Random { threads, seed } => write!(f, "random:{threads}:{seed}"),
            Self::Strict { threads, seed } => write!(f, "strict:{threads}:{seed}"),
            Self::KStrict { k, depth, grain } => write!(f, "kstrict:{k}:{depth}:{grain}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLES: &[&str] = &[
        "figure1",
        "fib:0",
        "fib:1",
        "fib:2",
        "fib:3",
        "fib:12",
        "tree:0:1",
        "tree:0:7",
        "tree:1:1",
        "tree:5:1",
        "tree:4:9",
        "chain:1",
        "chain:2",
        "chain:50",
        "loop:1:1",
        "loop:9:1",
        "loop:7:5",
        "comb:1",
        "comb:2",
        "comb:30",
        "items:1:1:1",
        "items:9:3:20",
        "halving:1:2:5",
        "halving:7:3:20",
        "halving:8:20:3",
        "nested:1:1:1:1",
        "nested:3:5:2:9",
        "deep:4:64:2:3",
        "list:1:1",
        "list:20:6",
        "stairs:1:0:1",
        "stairs:1:9:3",
        "stairs:12:0:5",
        "stairs:12:40:5",
        "uneven:1:3:9",
        "uneven:2:3:9",
        "uneven:700:3:90",
        "random:1:0",
        "random:40:7",
        "strict:3:1",
        "strict:40:7",
        "kstrict:1:3:2",
        "kstrict:2:4:1",
    ];

    /// What a rule says about itself is what the computation is, written down and measured.
    #[test]
    fn measures_are_those_of_the_whole() {
        for name in EXAMPLES {
            let family: Family = name.parse().unwrap();
            assert_eq!(family.measures(), family.dag().measures(), "{name}");
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for name in EXAMPLES {
            assert_eq!(name.parse::<Family>().unwrap().to_string(), *name);
        }
    }

    /// The largest of each kind can be counted.
    #[test]
    fn the_largest_fit_into_64_bits() {
        for name in [
            "fib:80",
            "tree:40:1000000",
            "chain:1000000000000000",
            "loop:1000000000:1000000",
            "comb:100000000",
        ] {
            let measures = name.parse::<Family>().unwrap().measures();
            assert!(
                measures.work > measures.span || name.starts_with("chain"),
                "{name}"
            );
        }
    }

    #[test]
    fn bad_names_are_explained() {
        for (name, message) in [
            (
                "fob:3",
                "unknown family 'fob:3': use figure1, fib:N, tree:DEPTH:GRAIN, chain:N, loop:N:GRAIN, comb:N, items:N:SHORT:LONG, halving:N:SHORT:LONG, nested:M:N:SHORT:LONG, deep:N:FRAME:SHORT:LONG, list:N:GRAIN, stairs:N:FILLERS:GRAIN, uneven:LEAVES:SHORT:LONG, random:THREADS:SEED, strict:THREADS:SEED or kstrict:K:DEPTH:GRAIN",
            ),
            ("fib:81", "fib:81: N must be a whole number from 0 to 80"),
            ("fib:-1", "fib:-1: N must be a whole number from 0 to 80"),
            ("fib:", "'fib:': N must be a whole number from 0 to 80"),
            (
                "tree:3:0",
                "tree:3:0: GRAIN must be a whole number from 1 to 1000000",
            ),
            (
                "strict:2:1",
                "strict:2:1: THREADS must be a whole number from 3 to 1000000",
            ),
        ] {
            assert_eq!(name.parse::<Family>().unwrap_err().to_string(), message);
        }
        for name in ["", "fib", "fib:3:4", "tree:3", "figure1:1", "Fib:3"] {
            assert!(
                matches!(name.parse::<Family>(), Err(Invalid::Unknown { .. })),
                "{name}"
            );
        }
    }
}
