use rand::Rng;

use super::few::Few;
use super::tree::Tree;

/// The servers that take part in it, by their keys: the least key is found at once.
///
/// Equals are drawn uniformly, with the same random number and in the same order as
/// [`argmin`](crate::dispatch::scan::argmin) draws them: index and scan agree in every decision,
/// not only in law.
#[derive(Clone, Debug)]
pub(crate) enum Tournament<K> {
    Few(Few<K>),
    Many(Tree<K>),
}

impl<K: Copy + PartialOrd + Default> Tournament<K> {
    /// All servers take part, each with its key. A key is not NaN.
    pub(crate) fn of(keys: impl ExactSizeIterator<Item = K>) -> Self {
        if keys.len() <= Few::<K>::MOST {
            Self::Few(Few::of(keys))
        } else {
            Self::Many(Tree::of(keys))
        }
    }

    /// Whether none takes part.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Few(few) => few.is_empty(),
            Self::Many(tree) => tree.len() == 0,
        }
    }

    /// How many servers take part.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Few(few) => few.len(),
            Self::Many(tree) => tree.len(),
        }
    }

    #[inline]
    pub(crate) fn contains(&self, server: usize) -> bool {
        match self {
            Self::Few(few) => few.contains(server),
            Self::Many(tree) => tree.contains(server),
        }
    }

    /// `server` takes part, from now on with this key.
    #[inline]
    pub(crate) fn insert(&mut self, server: usize, key: K) {
        match self {
            Self::Few(few) => few.insert(server, key),
            Self::Many(tree) => tree.insert(server, key),
        }
    }

    /// `server` takes part no longer.
    #[inline]
    pub(crate) fn remove(&mut self, server: usize) {
        match self {
            Self::Few(few) => few.remove(server),
            Self::Many(tree) => tree.remove(server),
        }
    }

    /// A server with the least key, uniform among equals; `None` if none takes part.
    #[inline]
    pub(crate) fn best<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<usize> {
        match self {
            Self::Few(few) => few.best(rng),
            Self::Many(tree) => tree.best(rng),
        }
    }

    /// `server`, the next number, has joined and takes part.
    pub(crate) fn server_joined(&mut self, server: usize, key: K) {
        match self {
            Self::Few(few) if server < Few::<K>::MOST => few.server_joined(key),
            Self::Few(few) => {
                let mut tree = Tree::of(few.keys().map(|(key, _)| key));
                for (server, (_, takes_part)) in few.keys().enumerate() {
                    if !takes_part {
                        tree.remove(server);
                    }
                }
                tree.server_joined(server, key);
                *self = Self::Many(tree);
            }
            Self::Many(tree) => tree.server_joined(server, key),
        }
    }

    /// `server` has left, and the last of `servers` takes its number.
    pub(crate) fn server_left(&mut self, server: usize, servers: usize) {
        match self {
            Self::Few(few) => few.server_left(server, servers),
            Self::Many(tree) => tree.server_left(server, servers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::scan::argmin;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;

    proptest! {
        /// With all servers in it, the tournament draws what a scan draws, under any changes.
        #[test]
        fn draws_as_a_scan(
            mut keys in prop_oneof![
                prop::collection::vec(0..4u32, 1..40),
                prop::collection::vec(0..40u32, 60..70),
            ],
            changes in prop::collection::vec((0..3u8, any::<usize>(), 0..4u32), 0..60),
            seed: u64,
        ) {
            let mut tree_rng = Seed::new(seed).stream(Purpose::named("test"), 0, 0);
            let mut scan_rng = tree_rng.clone();
            let mut tree = Tournament::of(keys.iter().copied());
            for (change, number, key) in changes {
                let server = number % keys.len();
                match change {
                    0 => {
                        keys.push(key);
                        tree.server_joined(keys.len() - 1, key);
                    }
                    1 if keys.len() > 1 => {
                        tree.server_left(server, keys.len());
                        keys.swap_remove(server);
                    }
                    _ => {
                        keys[server] = key;
                        tree.insert(server, key);
                    }
                }
                prop_assert_eq!(tree.len(), keys.len());
                prop_assert_eq!(tree.best(&mut tree_rng), Some(argmin(&keys, &mut scan_rng)));
            }
        }
    }

    #[test]
    fn who_takes_no_part_stays_out_when_few_become_many() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let mut few = Tournament::of((0..63u32).rev());
        (0..63).step_by(2).for_each(|server| few.remove(server));
        for server in 63..67 {
            few.server_joined(server, 100);
            assert_eq!(few.len(), 31 + server - 62);
        }
        assert!(matches!(few, Tournament::Many(_)));
        for expected in (1..62).rev().step_by(2) {
            assert_eq!(few.best(&mut rng), Some(expected));
            few.remove(expected);
        }
        assert_eq!(few.len(), 4);
        (63..67).for_each(|server| few.remove(server));
        assert!(few.is_empty() && few.best(&mut rng).is_none());
    }
}
