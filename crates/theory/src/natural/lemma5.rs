//! BFG03, Lemma 5: Φ_f of a fraction.

use num_bigint::BigUint;

use super::large::MOST_BITS;
use super::{Constants, Large};

/// **Lemma 5.** f(l) = ⌊l/r⌋ for some r ≥ 2 satisfies Properties 1–3, and Φ_f ≤ n·(2T + 2r)·(2r)^z.
///
/// `None` for r < 2, of which the lemma says nothing.
pub fn bound(constants: &Constants, r: u64) -> Option<Large> {
    if r < 2 {
        return None;
    }
    let base = BigUint::from(r) * 2u8;
    let first = (BigUint::from(constants.steps) * 2u8 + &base) * constants.processors;
    let log2 = constants.splits as f64 * (2.0 * r as f64).log2() + first.bits() as f64;
    if log2 < MOST_BITS as f64 {
        let splits = u32::try_from(constants.splits).expect("less than 2^16");
        return Some(Large::Exact(first * base.pow(splits)));
    }
    let first = Large::Exact(first).log10().expect("exact");
    let power = constants.splits as f64 * (2.0 * r as f64).log10();
    Some(Large::Log10(first + power))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::phi;
    use filch_policy::steal::StealFunction;

    /// The lemma: what the search finds is within its bound, for every r.
    #[test]
    fn phi_is_within() {
        let constants = Constants::new(64, 0.8, 0.5).unwrap();
        for r in 2..12 {
            let f: StealFunction = format!("fraction:{r}").parse().unwrap();
            let found = phi::search(&constants, &f).unwrap();
            assert!(
                found <= *bound(&constants, r).unwrap().exact().unwrap(),
                "{r}"
            );
        }
        assert_eq!(bound(&constants, 1), None);
    }

    #[test]
    fn exact_and_by_logarithm_agree() {
        let exact = Constants::new(1 << 10, 0.5, 100.0).unwrap();
        let far = Constants {
            splits: MOST_BITS,
            ..exact
        };
        let log10 = |constants: &Constants| bound(constants, 2).unwrap().log10().unwrap();
        let more = (far.splits - exact.splits) as f64 * 4f64.log10();
        assert!((log10(&far) - log10(&exact) - more).abs() < 1e-3);
        assert!(matches!(bound(&far, 2), Some(Large::Log10(_))));
    }
}
