use alloc::vec;
use alloc::vec::Vec;

use rand::{Rng, RngExt};

use super::bits::{ServerBits, count, words};
use super::subset::find;

/// The tokens that are held, as bits. Many come and go at a time, and drawing one of n counts the
/// bits of at most n/4096 + 64 words.
#[derive(Clone, Debug)]
pub(crate) struct TokenSet {
    words: Vec<u64>,
    /// How many tokens there are in each [`BLOCK`] of words.
    blocks: Vec<u32>,
    count: u32,
    servers: usize,
}

/// Words whose tokens are counted together.
const BLOCK: usize = 64;

impl TokenSet {
    /// All of `servers` tokens.
    pub(crate) fn all(servers: usize) -> Self {
        assert!(
            servers < u32::MAX as usize,
            "servers are numbered in 32 bits"
        );
        let mut held = Self {
            words: vec![!0; words(servers)],
            blocks: vec![0; words(servers).div_ceil(BLOCK)],
            count: 0,
            servers,
        };
        if let Some(last) = held.words.last_mut() {
            *last >>= (64 - servers % 64) % 64;
        }
        held.recount();
        held
    }

    fn recount(&mut self) {
        self.count = 0;
        for (block, words) in self.blocks.iter_mut().zip(self.words.chunks(BLOCK)) {
            *block = count(words) as u32;
            self.count += *block;
        }
    }

    /// How many servers there are.
    #[inline]
    pub(crate) fn servers(&self) -> usize {
        self.servers
    }

    /// How many tokens are held.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub(crate) fn insert(&mut self, server: usize) {
        self.set(server, true);
    }

    pub(crate) fn remove(&mut self, server: usize) {
        self.set(server, false);
    }

    fn contains(&self, server: usize) -> bool {
        self.words[server / 64] >> (server % 64) & 1 == 1
    }

    #[inline]
    fn set(&mut self, server: usize, held: bool) {
        let before = self.contains(server);
        self.words[server / 64] ^= u64::from(before != held) << (server % 64);
        let change = |count: u32| count + u32::from(held) - u32::from(before);
        let block = &mut self.blocks[server / 64 / BLOCK];
        *block = change(*block);
        self.count = change(self.count);
    }

    /// Adds all of these.
    #[inline]
    pub(crate) fn insert_all(&mut self, servers: &ServerBits) {
        let mut twice = 0;
        for (word, more) in self.words.iter_mut().zip(servers.words()) {
            twice |= *word & more;
            *word |= more;
        }
        match &mut *self.blocks {
            [block] if twice == 0 => {
                self.count += servers.count() as u32;
                *block = self.count;
            }
            _ => self.recount(),
        }
    }

    /// Removes all of these.
    pub(crate) fn remove_all(&mut self, servers: &[u64]) {
        for (word, gone) in self.words.iter_mut().zip(servers) {
            *word &= !gone;
        }
        self.recount();
    }

    /// Removes all.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
        self.blocks.fill(0);
        self.count = 0;
    }

    /// One of the tokens held, uniformly; `None` if there is none.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let mut rank = rng.random_range(0..self.count);
        let mut block = 0;
        while rank >= self.blocks[block] {
            rank -= self.blocks[block];
            block += 1;
        }
        let words = &self.words[BLOCK * block..];
        let (word, bit) = find(&words[..words.len().min(BLOCK)], rank);
        Some(64 * (BLOCK * block + word) + bit.trailing_zeros() as usize)
    }

    /// A new server, whose token is held, gets the next number.
    pub(crate) fn server_joined(&mut self) {
        let server = self.servers;
        assert!(
            server + 1 < u32::MAX as usize,
            "servers are numbered in 32 bits"
        );
        self.servers += 1;
        self.words.resize(words(self.servers), 0);
        self.blocks.resize(self.words.len().div_ceil(BLOCK), 0);
        self.insert(server);
    }

    /// `server` is gone, and the last one takes its number.
    pub(crate) fn server_left(&mut self, server: usize) {
        let last = self.servers - 1;
        let moved = self.contains(last);
        self.set(server, moved);
        self.remove(last);
        self.servers = last;
        self.words.truncate(words(last));
        self.blocks.truncate(self.words.len().div_ceil(BLOCK));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::sets::bits::each_bit;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn members(held: &TokenSet) -> BTreeSet<usize> {
        for (block, words) in held.blocks.iter().zip(held.words.chunks(BLOCK)) {
            assert_eq!(*block as usize, count(words));
        }
        assert_eq!(held.count as usize, count(&held.words));
        assert_eq!(held.words.len(), words(held.servers));
        each_bit(&held.words).collect()
    }

    proptest! {
        /// The set does what a plain set of numbers does, under any sequence of operations, within
        /// a word and over several blocks of words.
        #[test]
        fn behaves_as_a_set(
            start in prop_oneof![Just(5usize), Just(64), Just(64 * BLOCK + 1)],
            operations in prop::collection::vec((0..8u8, any::<usize>()), 0..60),
        ) {
            let mut rng = Seed::new(3).stream(Purpose::named("test"), 0, 0);
            let mut servers = start;
            let mut held = TokenSet::all(servers);
            let mut model: BTreeSet<usize> = (0..servers).collect();
            for (operation, number) in operations {
                let server = number % servers;
                match operation {
                    0 => { held.insert(server); model.insert(server); }
                    1 => { held.remove(server); model.remove(&server); }
                    2 => match held.draw(&mut rng) {
                        Some(drawn) => prop_assert!(model.contains(&drawn)),
                        None => prop_assert!(model.is_empty()),
                    },
                    3 => { held.server_joined(); model.insert(servers); servers += 1; }
                    4 if servers > 1 => {
                        held.server_left(server);
                        servers -= 1;
                        model.remove(&server);
                        if model.remove(&servers) && server != servers { model.insert(server); }
                    }
                    5 => { held.clear(); model.clear(); }
                    6 | 7 => {
                        let mut marks = vec![0; servers];
                        let some = [server, number / 7 % servers, number / 77 % servers];
                        some.iter().for_each(|&server| marks[server] = 1);
                        let mut bits = ServerBits::none_of(servers);
                        bits.mark(&marks);
                        if operation == 6 {
                            held.insert_all(&bits);
                            model.extend(some);
                        } else {
                            held.remove_all(bits.words());
                            model.retain(|server| !some.contains(server));
                        }
                    }
                    _ => {}
                }
                prop_assert_eq!(members(&held), model.clone());
            }
        }
    }

    /// One of all, over several blocks: a chi-square test at 10⁻⁴.
    #[test]
    fn each_is_drawn_as_often() {
        let servers = 3 * 64 * BLOCK;
        let mut rng = Seed::new(4).stream(Purpose::named("test"), 0, 0);
        let mut held = TokenSet::all(servers);
        (0..servers)
            .filter(|server| server % 1000 != 7)
            .for_each(|server| held.remove(server));
        let mut counts = vec![0u64; servers.div_ceil(1000)];
        for _ in 0..20_000 {
            let drawn = held.draw(&mut rng).expect("some are held");
            assert_eq!(drawn % 1000, 7);
            counts[drawn / 1000] += 1;
        }
        let p = filch_stats::chi_square_uniform(&counts).expect("large counts");
        assert!(p > 1e-4, "{counts:?}: {p}");
    }
}
