use std::cell::RefCell;

use tokio_rustls::rustls::crypto::ring;

/// How many bytes an id has.
const SIZE: usize = 16;

/// How many ids a thread makes of what it asks the system for at once.
const IDS: usize = 64;

thread_local! {
    static POOL: RefCell<Pool> = const {
        RefCell::new(Pool { bytes: [0; IDS * SIZE], left: 0 })
    };
}

/// Random bytes that no id has yet.
struct Pool {
    bytes: [u8; IDS * SIZE],
    left: usize,
}

/// 128 random bits, which nobody can predict. None if the system has none.
pub(crate) fn random_id() -> Option<u128> {
    POOL.with_borrow_mut(|pool| {
        if pool.left == 0 {
            let source = ring::default_provider().secure_random;
            source.fill(&mut pool.bytes).ok()?;
            pool.left = IDS;
        }
        pool.left -= 1;
        let (ids, _) = pool.bytes.as_chunks::<SIZE>();
        Some(u128::from_ne_bytes(ids[pool.left]))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Each bit is one half of the time. The bound is six standard deviations.
    #[test]
    fn ids_differ_in_all_bits() {
        let ids: HashSet<_> = (0..10_000).map(|_| random_id().unwrap()).collect();
        assert_eq!(ids.len(), 10_000);
        for bit in 0..128 {
            let ones = ids.iter().filter(|id| *id >> bit & 1 == 1).count();
            assert!((4700..5300).contains(&ones), "bit {bit}: {ones}");
        }
    }
}
