use alloc::vec::Vec;

use rand::{Rng, RngExt};

use crate::dispatch::scratch::Scratch;

/// A set of servers with a random draw: everything in constant time for each server touched.
///
/// The members stand in `order`, in an arbitrary order; `place` says where (a sparse set after
/// Briggs and Torczon, 1993). Drawing is the beginning of a Fisher–Yates shuffle of `order`. The
/// shuffle is uniform from any order, so nothing has to be put back. Servers and places are
/// numbered in 32 bits, for which drawing is cheaper.
#[derive(Clone, Debug)]
pub(crate) struct ServerSet {
    order: Scratch<u32>,
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl ServerSet {
    /// All of `servers` servers.
    pub(crate) fn full(servers: usize) -> Self {
        assert!(servers < ABSENT as usize, "servers are numbered in 32 bits");
        let all: Vec<u32> = (0..servers as u32).collect();
        Self {
            order: all.clone().into(),
            place: all,
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, server: usize) {
        if self.place[server] == ABSENT {
            self.place[server] = self.order.len() as u32;
            self.order.push(server as u32);
        }
    }

    pub(crate) fn remove(&mut self, server: usize) {
        if self.place[server] != ABSENT {
            self.take_at(self.place[server] as usize);
        }
    }

    /// Removes and returns the member that stands at `at`.
    #[inline]
    pub(crate) fn take_at(&mut self, at: usize) -> usize {
        let server = self.order.swap_remove(at) as usize;
        if let Some(&moved) = self.order.get(at) {
            self.place[moved as usize] = at as u32;
        }
        self.place[server] = ABSENT;
        server
    }

    /// Moves `count` members, drawn uniformly without replacement and in uniformly random order, to
    /// the front of the order, and returns them. At most all members are drawn.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&mut self, count: usize, rng: &mut R) -> &[u32] {
        let count = count.min(self.order.len());
        for at in 0..count {
            let other = rng.random_range(at as u32..self.order.len() as u32) as usize;
            self.order.swap(at, other);
            self.place[self.order[other] as usize] = other as u32;
            self.place[self.order[at] as usize] = at as u32;
        }
        &self.order[..count]
    }

    /// A new server, which is not a member yet, gets the next number.
    pub(crate) fn server_joined(&mut self) {
        assert!(
            self.place.len() + 1 < ABSENT as usize,
            "servers are numbered in 32 bits"
        );
        self.place.push(ABSENT);
        let missing = self.place.len() - self.order.len();
        self.order.reserve(missing);
    }

    /// `server` is gone, and the last one takes its number.
    pub(crate) fn server_left(&mut self, server: usize) {
        self.remove(server);
        let place = self.place.pop().expect("a server that left was there");
        if server < self.place.len() {
            self.place[server] = place;
            if place != ABSENT {
                self.order[place as usize] = server as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn members(set: &ServerSet) -> BTreeSet<usize> {
        for (at, &server) in set.order.iter().enumerate() {
            assert_eq!(set.place[server as usize], at as u32);
        }
        let present = set.place.iter().filter(|&&place| place != ABSENT).count();
        assert_eq!(present, set.order.len());
        set.order.iter().map(|&server| server as usize).collect()
    }

    proptest! {
        /// The set does what a plain set of numbers does, under any sequence of operations.
        #[test]
        fn behaves_as_a_set(operations in prop::collection::vec((0..5u8, any::<usize>()), 0..60)) {
            let mut rng = Seed::new(3).stream(Purpose::named("test"), 0, 0);
            let mut servers = 5;
            let mut set = ServerSet::full(servers);
            let mut model: BTreeSet<usize> = (0..servers).collect();
            for (operation, number) in operations {
                let server = number % servers;
                match operation {
                    0 => { set.insert(server); model.insert(server); }
                    1 => { set.remove(server); model.remove(&server); }
                    2 => {
                        let drawn = set.draw(number % 7, &mut rng).to_vec();
                        prop_assert_eq!(drawn.len(), (number % 7).min(model.len()));
                        let distinct: BTreeSet<usize> =
                            drawn.iter().map(|&server| server as usize).collect();
                        prop_assert_eq!(distinct.len(), drawn.len());
                        prop_assert!(distinct.is_subset(&model));
                    }
                    3 => { set.server_joined(); servers += 1; }
                    4 if servers > 1 => {
                        set.server_left(server);
                        servers -= 1;
                        model.remove(&server);
                        if model.remove(&servers) { model.insert(server); }
                    }
                    _ => {}
                }
                prop_assert_eq!(members(&set), model.clone());
            }
        }
    }
}
