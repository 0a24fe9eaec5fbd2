//! Making a program from a seed.

use std::sync::Arc;

use super::program::{Blocking, Node, PanicIn, PoolKind, PoolShape, Program, Section};

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `limit`. The bias does not matter here.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn between(&mut self, least: u32, most: u32) -> u32 {
        least + self.below(u64::from(most - least + 1)) as u32
    }

    fn of<T: Copy>(&mut self, options: &[T]) -> T {
        options[self.below(options.len() as u64) as usize]
    }
}

/// The program with this seed, whose first pool has so many threads.
pub(super) fn program(seed: u64, threads: usize) -> Program {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let kinds = [
        PoolKind::Plain,
        PoolKind::Plain,
        PoolKind::Start,
        PoolKind::Spawn,
    ];
    let others = random.between(0, 2);
    let mut pools = vec![PoolShape {
        threads,
        kind: random.of(&kinds),
    }];
    for _ in 0..others {
        pools.push(PoolShape {
            threads: random.between(1, 3) as usize,
            kind: random.of(&kinds),
        });
    }
    let sections = (0..random.between(1, 3)).map(|_| section(&mut random, &pools));
    let sections = sections.collect();
    Program { pools, sections }
}

fn section(random: &mut Random, pools: &[PoolShape]) -> Section {
    if random.below(4) == 0 {
        let forms = [
            Blocking::BridgeInside,
            Blocking::BridgeOutside,
            Blocking::Join,
            Blocking::Scope,
        ];
        let (form, items) = if pools[0].threads > 1 {
            (random.of(&forms), random.between(1, 60))
        } else {
            (Blocking::AfterJoin, random.between(1, 60))
        };
        return Section::Blocking(form, items);
    }
    let callers = random.between(1, 3);
    let trees = (0..callers).map(|_| {
        let pool = random.below(pools.len() as u64) as usize;
        let mut budget = random.between(3, 25);
        let depth = random.between(2, 5);
        (pool, node(random, pools.len(), depth, 1, &mut budget))
    });
    Section::Trees(trees.collect())
}

/// How many copies of a tree that yields may run at a time: what yields can run another copy on top
/// of itself, on either core.
const MOST_YIELDING: u32 = 6;
/// The same for trees that call other pools.
const MOST_CALLING: u32 = 40;

/// A tree of which there will be so many copies.
fn node(random: &mut Random, pools: usize, depth: u32, copies: u32, budget: &mut u32) -> Node {
    *budget = budget.saturating_sub(1);
    if depth == 0 || *budget == 0 {
        return Node::Leaf(random.between(0, 2_000));
    }
    let pool = random.below(pools as u64) as usize;
    let mut child = |random: &mut Random, times: u32| {
        Box::new(node(random, pools, depth - 1, copies * times, budget))
    };
    let mut children = |random: &mut Random, most: u32| {
        let number = random.between(1, most);
        (0..number).map(|_| *child(random, 1)).collect()
    };
    let kinds = if copies <= MOST_YIELDING {
        20
    } else if copies <= MOST_CALLING {
        14
    } else {
        10
    };
    match random.below(kinds) {
        0 => Node::Leaf(random.between(0, 20_000)),
        1 => Node::Locked(random.between(0, 2_000)),
        2 | 3 => Node::Join(child(random, 1), child(random, 1)),
        4 => {
            let len = random.between(1, 30);
            Node::Iter(len, random.between(1, 8), child(random, len))
        }
        5 => {
            let len = random.between(1, 4);
            Node::Iter(len, 1, child(random, len))
        }
        6 => {
            let len = random.between(1, 6);
            Node::Bridge(len, child(random, len))
        }
        7 => Node::Scope(random.below(2) == 0, children(random, 4)),
        8 => Node::Chain(random.between(1, 20)),
        9 => {
            let places = [
                PanicIn::First,
                PanicIn::Second,
                PanicIn::Iter,
                PanicIn::Child,
            ];
            let place = random.of(&places);
            let times = if matches!(place, PanicIn::Iter) {
                10
            } else {
                1
            };
            Node::Panic(place, child(random, times))
        }
        10 => Node::InPlace(pool, children(random, 3)),
        11 | 12 => Node::Install(pool, child(random, 1)),
        13 => Node::Broadcast(pool, random.between(0, 500)),
        14 => Node::SpawnBroadcast(pool, random.between(0, 500)),
        15 | 16 => Node::Spawn(pool, random.below(2) == 0, Arc::from(child(random, 1))),
        17 => Node::Channel(random.between(1, 30)),
        18 => Node::SpawnedPanic(pool),
        _ => Node::Yield(random.between(1, 5), child(random, 1)),
    }
}
