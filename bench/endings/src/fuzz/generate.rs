//! Making a program from a seed.

use std::sync::Arc;

use super::program::{Blocking, Node, PanicIn, PoolKind, PoolShape, Program, Section, Wait};

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
    // One thread of each pool never waits.
    let mut waits: Vec<u32> = pools.iter().map(|pool| pool.threads as u32 - 1).collect();
    let trees = (0..callers).map(|_| {
        let pool = random.below(pools.len() as u64) as usize;
        let mut grower = Grower {
            random,
            budget: 0,
            waits: &mut waits,
        };
        grower.budget = grower.random.between(3, 25);
        let depth = grower.random.between(2, 5);
        let place = Place {
            pool: Some(pool),
            depth,
            copies: 1,
        };
        (pool, grower.node(place))
    });
    Section::Trees(trees.collect())
}

/// How many copies of a tree that yields may run at a time: what yields can run another copy on top
/// of itself, on either core.
const MOST_YIELDING: u32 = 6;
/// The same for trees that call other pools.
const MOST_CALLING: u32 = 40;

/// Makes the trees of a section.
struct Grower<'a> {
    random: &'a mut Random,
    /// How many nodes a tree may still have.
    budget: u32,
    /// For each pool how many more threads may wait.
    waits: &'a mut [u32],
}

/// Where a node will be.
#[derive(Clone, Copy)]
struct Place {
    /// The pool on whose threads it is evaluated, if it is one of the program's.
    pool: Option<usize>,
    /// How deep it may be.
    depth: u32,
    /// How many copies of it there will be.
    copies: u32,
}

impl Place {
    fn on(self, pool: usize) -> Self {
        let pool = Some(pool);
        Self { pool, ..self }
    }

    fn times(self, times: u32) -> Self {
        let copies = self.copies * times;
        Self { copies, ..self }
    }
}

impl Grower<'_> {
    fn node(&mut self, place: Place) -> Node {
        self.budget = self.budget.saturating_sub(1);
        if place.depth == 0 || self.budget == 0 {
            return Node::Leaf(self.random.between(0, 2_000));
        }
        let pool = self.random.below(self.waits.len() as u64) as usize;
        let kinds = if place.copies <= MOST_YIELDING {
            28
        } else if place.copies <= MOST_CALLING {
            20
        } else {
            14
        };
        match self.random.below(kinds) {
            0 => Node::Leaf(self.random.between(0, 20_000)),
            1 => Node::Locked(self.random.between(0, 2_000)),
            2 | 3 => Node::Join(self.child(place), self.child(place)),
            4 => {
                let len = self.random.between(1, 30);
                let most = self.random.between(1, 8);
                Node::Iter(len, most, self.child(place.times(len)))
            }
            5 => {
                let len = self.random.between(1, 4);
                Node::Iter(len, 1, self.child(place.times(len)))
            }
            6 => {
                let len = self.random.between(1, 6);
                Node::Bridge(len, self.child(place.times(len)))
            }
            7 => Node::Scope(self.random.below(2) == 0, self.children(place, 4)),
            8 => Node::Chain(self.random.between(1, 20)),
            9 => self.panic(place),
            10..=12 => self.wait(place),
            13 => Node::Indexed(self.child(place)),
            14 => Node::InPlace(pool, self.children(place.on(pool), 3)),
            15 | 16 => Node::Install(pool, self.child(place.on(pool))),
            17 => Node::Broadcast(pool, self.random.between(0, 500)),
            18 => Node::ScopeBroadcast(pool, self.random.between(0, 500)),
            19 => {
                let threads = self.random.between(1, 3) as usize;
                let inside = Place {
                    pool: None,
                    ..place
                };
                Node::OwnPool(threads, self.child(inside))
            }
            20 => Node::SpawnBroadcast(pool, self.random.between(0, 500)),
            21 | 22 => {
                let in_order = self.random.below(2) == 0;
                Node::Spawn(pool, in_order, Arc::from(self.child(place.on(pool))))
            }
            23 => Node::Channel(self.random.between(1, 30)),
            24 => Node::SpawnedPanic(pool),
            _ => Node::Yield(self.random.between(1, 5), self.child(place)),
        }
    }

    fn child(&mut self, place: Place) -> Box<Node> {
        let depth = place.depth - 1;
        Box::new(self.node(Place { depth, ..place }))
    }

    fn children(&mut self, place: Place, most: u32) -> Vec<Node> {
        let number = self.random.between(1, most);
        (0..number).map(|_| *self.child(place)).collect()
    }

    fn panic(&mut self, place: Place) -> Node {
        let places = [
            PanicIn::First,
            PanicIn::Second,
            PanicIn::Iter,
            PanicIn::Child,
        ];
        let from = self.random.of(&places);
        let times = if matches!(from, PanicIn::Iter) { 10 } else { 1 };
        Node::Panic(from, self.child(place.times(times)))
    }

    /// Waits, if threads may: each copy is a thread that waits.
    fn wait(&mut self, place: Place) -> Node {
        let waits = [
            Wait::Spawned,
            Wait::InOrder,
            Wait::Outside,
            Wait::Half,
            Wait::Child,
            Wait::Locked,
            Wait::Spinning,
            Wait::Deep,
        ];
        let (wait, times) = (self.random.of(&waits), self.random.between(1, 40));
        match place.pool {
            Some(pool) if self.waits[pool] >= place.copies => {
                self.waits[pool] -= place.copies;
                Node::Wait(pool, wait, times)
            }
            _ => Node::Leaf(times),
        }
    }
}
