use alloc::vec;

use rand::{Rng, RngExt};

use crate::dispatch::scratch::Scratch;

/// A tournament tree over many servers, of which some take part in it: the least key is known at
/// once, and a change of one server costs O(log n).
///
/// Node i has the children 2i and 2i+1, the root is 1, and server s is the leaf `leaves + s`. Each
/// node counts how many below it have its key, so equals are drawn uniformly, with the same random
/// number and in the same order as [`argmin`](crate::dispatch::scan::argmin) draws them: index and
/// scan agree in every decision, not only in law.
#[derive(Clone, Debug)]
pub(crate) struct Tree<K> {
    nodes: Scratch<Node<K>>,
    leaves: usize,
    present: usize,
}

/// The best of the servers below a node.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node<K> {
    key: K,
    /// How many servers have that key; 0 if none below takes part.
    ties: u32,
}

impl<K: Copy + PartialOrd + Default> Node<K> {
    fn empty() -> Self {
        Self {
            key: K::default(),
            ties: 0,
        }
    }

    #[inline]
    fn better(a: Self, b: Self) -> Self {
        if a.ties == 0 {
            b
        } else if b.ties == 0 || a.key < b.key {
            a
        } else if b.key < a.key {
            b
        } else {
            Self {
                key: a.key,
                ties: a.ties + b.ties,
            }
        }
    }
}

impl<K: Copy + PartialOrd + Default> Tree<K> {
    /// All servers take part, each with its key.
    pub(super) fn of(keys: impl ExactSizeIterator<Item = K>) -> Self {
        let present = keys.len();
        let leaves = present.next_power_of_two();
        let mut nodes = vec![Node::empty(); 2 * leaves];
        for (leaf, key) in nodes[leaves..].iter_mut().zip(keys) {
            *leaf = Node { key, ties: 1 };
        }
        for at in (1..leaves).rev() {
            nodes[at] = Node::better(nodes[2 * at], nodes[2 * at + 1]);
        }
        Self {
            nodes: nodes.into(),
            leaves,
            present,
        }
    }

    /// How many servers take part.
    pub(super) fn len(&self) -> usize {
        self.present
    }

    #[inline]
    pub(super) fn contains(&self, server: usize) -> bool {
        self.nodes[self.leaves + server].ties > 0
    }

    /// `server` takes part, from now on with this key.
    #[inline]
    pub(super) fn insert(&mut self, server: usize, key: K) {
        self.set(server, Node { key, ties: 1 });
    }

    /// `server` takes part no longer.
    pub(super) fn remove(&mut self, server: usize) {
        self.set(server, Node::empty());
    }

    fn set(&mut self, server: usize, leaf: Node<K>) {
        let nodes = &mut self.nodes[..2 * self.leaves];
        let mut at = self.leaves + server;
        self.present = self.present + leaf.ties as usize - nodes[at].ties as usize;
        let mut node = leaf;
        nodes[at] = node;
        while at > 1 {
            node = Node::better(node, nodes[at ^ 1]);
            at /= 2;
            // If this node does not change, none above does.
            if nodes[at] == node {
                return;
            }
            nodes[at] = node;
        }
    }

    /// A server with the least key, uniform among equals; `None` if none takes part.
    #[inline]
    pub(super) fn best<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<usize> {
        let best = self.nodes[1];
        if best.ties == 0 {
            return None;
        }
        let mut skip = if best.ties > 1 {
            rng.random_range(0..best.ties)
        } else {
            0
        };
        let mut at = 1;
        while at < self.leaves {
            at *= 2;
            let left = self.nodes[at];
            let ties = if left.key == best.key { left.ties } else { 0 };
            if skip >= ties {
                skip -= ties;
                at += 1;
            }
        }
        Some(at - self.leaves)
    }

    /// `server`, the next number, has joined and takes part.
    pub(super) fn server_joined(&mut self, server: usize, key: K) {
        if server == self.leaves {
            // Twice the room: the old tree becomes the left half of the new one.
            let mut grown = vec![Node::empty(); 4 * self.leaves];
            grown[1] = self.nodes[1];
            let mut width = 1;
            while width <= self.leaves {
                grown[2 * width..3 * width].copy_from_slice(&self.nodes[width..2 * width]);
                width *= 2;
            }
            self.nodes = grown.into();
            self.leaves *= 2;
        }
        self.insert(server, key);
    }

    /// `server` has left, and the last of `servers` takes its number.
    pub(super) fn server_left(&mut self, server: usize, servers: usize) {
        let last = self.nodes[self.leaves + servers - 1];
        self.remove(servers - 1);
        if server < servers - 1 {
            self.set(server, last);
        }
    }
}
