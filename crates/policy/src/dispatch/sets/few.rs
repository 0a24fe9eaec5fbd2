use alloc::vec::Vec;

use rand::{Rng, RngExt};

use super::bits::select;
use crate::dispatch::scratch::Scratch;

/// A few servers, of which some take part: a key for each, and a bit for each that takes part.
///
/// A change costs next to nothing, and the least key is found by looking at all of them. A decision
/// comes with several changes, so that this takes fewer instructions than a tree.
#[derive(Clone, Debug)]
pub(crate) struct Few<K> {
    keys: Scratch<K>,
    present: u64,
}

impl<K: Copy + PartialOrd> Few<K> {
    /// So many servers have a bit.
    pub(super) const MOST: usize = 64;

    /// All servers take part, each with its key.
    pub(super) fn of(keys: impl ExactSizeIterator<Item = K>) -> Self {
        let mut room = Vec::with_capacity(Self::MOST);
        room.extend(keys);
        Self {
            present: all(room.len()),
            keys: room.into(),
        }
    }

    /// The keys of all servers, and which of them take part.
    pub(super) fn keys(&self) -> impl ExactSizeIterator<Item = (K, bool)> + '_ {
        let keys = self.keys.iter().enumerate();
        keys.map(|(server, &key)| (key, self.contains(server)))
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.present.count_ones() as usize
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.present == 0
    }

    #[inline]
    pub(super) fn contains(&self, server: usize) -> bool {
        self.present >> server & 1 > 0
    }

    #[inline]
    pub(super) fn insert(&mut self, server: usize, key: K) {
        self.keys[server] = key;
        self.present |= 1 << server;
    }

    #[inline]
    pub(super) fn remove(&mut self, server: usize) {
        self.present &= !(1 << server);
    }

    /// See [`Tournament::best`](super::Tournament::best).
    pub(super) fn best<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<usize> {
        let mut leader = Leader::first(self.present, &self.keys)?;
        if self.present == all(self.keys.len()) {
            return Some(one_of(least_of_all(&self.keys, leader.key), rng));
        }
        let mut rest = self.present & (self.present - 1);
        while rest != 0 {
            let server = rest.trailing_zeros() as usize;
            leader.meet(server, self.keys[server]);
            rest &= rest - 1;
        }
        Some(one_of(leader.equals | 1 << leader.server, rng))
    }

    pub(super) fn server_joined(&mut self, key: K) {
        self.present |= 1 << self.keys.len();
        self.keys.push(key);
    }

    pub(super) fn server_left(&mut self, server: usize, servers: usize) {
        let (last, takes_part) = (self.keys[servers - 1], self.contains(servers - 1));
        self.keys.pop();
        self.remove(servers - 1);
        if server < servers - 1 {
            self.keys[server] = last;
            self.present = self.present & !(1 << server) | u64::from(takes_part) << server;
        }
    }
}

/// The first of the servers with the least key so far, and the others with that key.
struct Leader<K> {
    server: usize,
    key: K,
    equals: u64,
}

impl<K: Copy + PartialOrd> Leader<K> {
    #[inline]
    fn first(present: u64, keys: &[K]) -> Option<Self> {
        let server = present.trailing_zeros() as usize;
        let key = *keys.get(server)?;
        Some(Self {
            server,
            key,
            equals: 0,
        })
    }

    #[inline]
    fn meet(&mut self, server: usize, key: K) {
        // One branch for most servers.
        if key <= self.key {
            if key < self.key {
                *self = Self {
                    server,
                    key,
                    equals: 0,
                };
            } else {
                self.equals |= 1 << server;
            }
        }
    }
}

/// The servers with the least key, of which `first` is one. No branch depends on the keys: which of
/// them is the least cannot be predicted.
#[inline]
fn least_of_all<K: Copy + PartialOrd>(keys: &[K], first: K) -> u64 {
    const LANES: usize = 4;
    let mut least = [first; LANES];
    let (lots, rest) = keys.as_chunks::<LANES>();
    for lot in lots {
        for lane in 0..LANES {
            least[lane] = lesser(lot[lane], least[lane]);
        }
    }
    let least = rest.iter().chain(&least).copied().fold(first, lesser);
    let mut equals = 0;
    for &key in keys.iter().rev() {
        equals = equals << 1 | u64::from(key <= least);
    }
    equals
}

#[inline]
fn lesser<K: PartialOrd>(one: K, other: K) -> K {
    if one < other { one } else { other }
}

/// One of these servers, of which there is at least one.
#[inline]
fn one_of<R: Rng + ?Sized>(servers: u64, rng: &mut R) -> usize {
    if servers & (servers - 1) == 0 {
        return servers.trailing_zeros() as usize;
    }
    select(servers, rng.random_range(0..servers.count_ones())) as usize
}

/// A bit for each of so many servers.
#[inline]
fn all(servers: usize) -> u64 {
    if servers == 0 {
        0
    } else {
        !0 >> (64 - servers)
    }
}
