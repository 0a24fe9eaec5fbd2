//! What a random program consists of.

use std::sync::Arc;

use super::waits;

/// A program: pools, and sections that run one after another.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) pools: Vec<PoolShape>,
    pub(super) sections: Vec<Section>,
}

/// How a pool is built.
#[derive(Debug)]
pub(super) struct PoolShape {
    pub(super) threads: usize,
    pub(super) kind: PoolKind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum PoolKind {
    Plain,
    /// With a start handler.
    Start,
    /// With threads of the user's.
    Spawn,
}

/// A part of a program that no other part overlaps.
#[derive(Debug)]
pub(super) enum Section {
    /// Threads outside the pools evaluate trees on pools.
    Trees(Vec<(usize, Node)>),
    /// A thread blocks, and the first pool, which does nothing else and has two threads or more, is
    /// certain to come to what it waits for.
    Blocking(Blocking, u32),
}

/// What is connected by a channel.
#[derive(Debug, Clone, Copy)]
pub(super) enum Blocking {
    /// A spawned producer, and a bridge.
    BridgeInside,
    /// The same, from outside the pool.
    BridgeOutside,
    /// The halves of a join.
    Join,
    /// Two children of a scope.
    Scope,
    /// A job spawned in a join, and what follows the join.
    AfterJoin,
}

/// A tree, which has a value wherever it is evaluated.
#[derive(Debug)]
pub(super) enum Node {
    /// Computes for a while.
    Leaf(u32),
    Join(Box<Node>, Box<Node>),
    /// A parallel iterator over so many copies of a tree, with at most so many in a piece.
    Iter(u32, u32, Box<Node>),
    /// A parallel bridge.
    Bridge(u32, Box<Node>),
    /// A scope; with an order if true.
    Scope(bool, Vec<Node>),
    /// Children that spawn each other into one scope.
    Chain(u32),
    /// A scope of a pool, opened in place.
    InPlace(usize, Vec<Node>),
    Install(usize, Box<Node>),
    /// On every thread of a pool.
    Broadcast(usize, u32),
    /// The same, without waiting for the shares but by yielding.
    SpawnBroadcast(usize, u32),
    /// A job spawned on a pool, awaited by yielding; in order if true.
    Spawn(usize, bool, Arc<Node>),
    /// A producer and a consumer that yields while there is nothing to read.
    Channel(u32),
    /// A part panics, and the panic is caught.
    Panic(PanicIn, Box<Node>),
    /// A spawned job panics, and the handler of the pool is told.
    SpawnedPanic(usize),
    /// A lock held while a leaf is computed.
    Locked(u32),
    /// Yields so many times.
    Yield(u32, Box<Node>),
    /// Waits so many times on a thread of this pool, one of the threads that may.
    Wait(usize, Wait, u32),
    /// A pool of its own with so many threads.
    OwnPool(usize, Box<Node>),
    /// A scope with a broadcast.
    ScopeBroadcast(usize, u32),
    /// The index of the thread stays the same.
    Indexed(Box<Node>),
}

/// What a thread waits for without yielding. Fewer threads of a pool wait than it has, and what
/// they wait for waits for nothing. So upstream's free thread comes to it: a worker that waits
/// for another runs anything.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wait {
    /// A spawned job.
    Spawned,
    /// A job spawned in order.
    InOrder,
    /// A job from outside the pool.
    Outside,
    /// The second half of a join.
    Half,
    /// A child of a scope.
    Child,
    /// A spawned job, with a lock held.
    Locked,
    /// A job from outside, on a processor.
    Spinning,
    /// A chain of joins whose halves run on different threads, and then a spawned job.
    Deep,
}

/// Where a panic comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum PanicIn {
    First,
    Second,
    Iter,
    Child,
}

/// The value of a leaf.
pub(super) fn leaf(spins: u32) -> u64 {
    u64::from(spins).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// The value of a share of a broadcast.
pub(super) fn share(index: usize, spins: u32) -> u64 {
    leaf(spins).rotate_left(index as u32 % 64)
}

/// What a panic is worth.
pub(super) const PANIC: u64 = 0x1234_5678;

impl Program {
    /// Its value, computed by one thread and without rayon.
    pub(super) fn value(&self) -> u64 {
        let sections = self.sections.iter();
        sections.fold(0, |sum, section| sum.wrapping_add(self.section(section)))
    }

    fn section(&self, section: &Section) -> u64 {
        match section {
            Section::Trees(trees) => {
                let trees = trees.iter().map(|(_, tree)| self.node(tree));
                trees.fold(0, u64::wrapping_add)
            }
            Section::Blocking(Blocking::AfterJoin, items) => leaf(*items),
            Section::Blocking(_, items) => (0..u64::from(*items)).sum(),
        }
    }

    fn node(&self, node: &Node) -> u64 {
        let all = |nodes: &[Node]| {
            nodes
                .iter()
                .fold(0, |sum: u64, node| sum.wrapping_add(self.node(node)))
        };
        let shares = |pool: usize, spins| {
            let shares = (0..self.pools[pool].threads).map(|index| share(index, spins));
            shares.fold(0, u64::wrapping_add)
        };
        match node {
            Node::Leaf(spins) | Node::Locked(spins) => leaf(*spins),
            Node::Join(a, b) => self.node(a).wrapping_add(self.node(b)),
            Node::Iter(len, _, node) | Node::Bridge(len, node) => {
                u64::from(*len).wrapping_mul(self.node(node))
            }
            Node::Scope(_, nodes) | Node::InPlace(_, nodes) => all(nodes),
            Node::Chain(length) => u64::from(*length),
            Node::Install(_, node) | Node::Yield(_, node) => self.node(node),
            Node::Spawn(_, _, node) => self.node(node),
            Node::OwnPool(_, node) | Node::Indexed(node) => self.node(node),
            Node::Broadcast(pool, spins)
            | Node::SpawnBroadcast(pool, spins)
            | Node::ScopeBroadcast(pool, spins) => shares(*pool, *spins),
            Node::Wait(_, wait, times) => waits::expected(*wait, *times),
            Node::Channel(items) => (0..u64::from(*items)).sum(),
            Node::Panic(..) | Node::SpawnedPanic(_) => PANIC,
        }
    }
}
