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
            for (server, &key) in self.keys.iter().enumerate().skip(1) {
                leader.meet(server, key);
            }
        } else {
            let mut rest = self.present & (self.present - 1);
            while rest != 0 {
                let server = rest.trailing_zeros() as usize;
                leader.meet(server, self.keys[server]);
                rest &= rest - 1;
            }
        }
        Some(leader.or_an_equal(rng))
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

    #[inline]
    fn or_an_equal<R: Rng + ?Sized>(self, rng: &mut R) -> usize {
        if self.equals == 0 {
            return self.server;
        }
        let equals = self.equals | 1 << self.server;
        select(equals, rng.random_range(0..equals.count_ones())) as usize
    }
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
