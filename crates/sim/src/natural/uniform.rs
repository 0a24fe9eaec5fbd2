//! Uniform random numbers below n.

use rand::Rng;

/// A uniform number from 0 to `n` − 1, for `n` ≥ 1.
///
/// Lemire's method (*Fast random integer generation in an interval*, 2019): the high half of x·n,
/// after rejecting the few x that would bias the result. With 64 bits fewer than n of 2⁶⁴ values
/// are rejected, so the cost is nearly always one multiplication and one comparison.
#[inline]
pub(super) fn below<R: Rng + ?Sized>(n: u32, rng: &mut R) -> u32 {
    let n = u64::from(n);
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(n);
        let low = product as u64;
        if low >= n || low >= n.wrapping_neg() % n {
            return (product >> 64) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// A correct generator fails this with probability 1e-4 for each n.
    #[test]
    fn equally_often() {
        let mut rng = Seed::default().stream(Purpose::named("tests"), 0, 0);
        for n in [1u32, 2, 3, 7, 64] {
            let mut counts = vec![0; n as usize];
            for _ in 0..10_000 * n {
                counts[below(n, &mut rng) as usize] += 1;
            }
            let p = filch_stats::chi_square_uniform(&counts);
            assert!(p.is_none_or(|p| p > 1e-4), "{n}: {p:?}");
        }
    }
}
