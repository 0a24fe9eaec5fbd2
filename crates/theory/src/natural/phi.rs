//! BFG03, Definition 1: Φ_f.

use num_bigint::BigUint;

use super::function::search as least;
use super::{Constants, Function};

/// Larger searches take too long; [`lemma2`](super::lemma2) gives the same number.
const MOST_BITS: u64 = 1 << 12;

/// Φ_f by search, as it is defined: the smallest integer such that g^j(Φ_f/n) ≥ 2T for all j from 0
/// to z, where g(l) = f(l − T).
///
/// Loads are integers, so f and g are applied to integers, and Φ_f = n·h for the smallest h that
/// will do. (The paper's printed "g⁰(y) = 1" must be g⁰(y) = y: a 0-fold application, as the j = 0
/// of the definition and Lemma 2's proof need it.) f(l − T) is f(0) where l < T.
///
/// `None` if h has more than 4096 bits or does not exist; [`lemma2::bound`](super::lemma2::bound)
/// tells which.
pub fn search(constants: &Constants, f: &impl Function) -> Option<BigUint> {
    let steps = BigUint::from(constants.steps);
    let enough = &steps * 2u8;
    let lasts = |start: &BigUint| {
        let mut load = start.clone();
        for _ in 0..constants.splits {
            if load < enough {
                return false;
            }
            // At least 2T, so T can be taken away.
            load = f.jobs(&(load - &steps));
        }
        load >= enough
    };
    Some(least(lasts, MOST_BITS)? * constants.processors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::Large;
    use crate::natural::lemma2;
    use filch_policy::steal::StealFunction;

    /// `half` by hand: h_0 = 2T and h_i = 2h_{i−1} + T, so h_z = 3T·2^z − T.
    #[test]
    fn half_in_closed_form() {
        for (n, lambda, c) in [(4, 0.5, 1.0), (100, 0.9, 0.5), (1024, 0.2, 2.0)] {
            let constants = Constants::new(n, lambda, c).unwrap();
            let steps = BigUint::from(constants.steps);
            let closed = (((&steps * 3u8) << constants.splits) - steps) * n;
            assert_eq!(search(&constants, &StealFunction::HALF), Some(closed));
        }
    }

    /// The smallest sequence of Lemma 2 gives Φ_f itself.
    #[test]
    fn lemma_2_is_tight() {
        for name in [
            "half",
            "fraction:3",
            "fraction:10",
            "min(half,1000000000000000000)",
            "const:5",
        ] {
            let f: StealFunction = name.parse().unwrap();
            let constants = Constants::new(5, 0.3, 0.1).unwrap();
            let found = search(&constants, &f).map(Large::from);
            assert_eq!(found, lemma2::bound(&constants, &f).ok(), "{name}");
        }
    }
}
