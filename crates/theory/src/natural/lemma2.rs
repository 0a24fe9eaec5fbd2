//! BFG03, Lemma 2 and Corollary 3: an upper bound on Φ_f.

use std::fmt;

use num_bigint::BigUint;

use super::large::MOST_BITS;
use super::{Constants, Function, Large};

/// Why no sequence h_1, …, h_z was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSequence {
    /// The i of the h_i that is missing.
    pub at: u64,
    /// h_{i−1}, which f would have to reach.
    pub needed: BigUint,
    /// The most that f ever gives.
    pub most: Option<BigUint>,
}

impl fmt::Display for NoSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needed = Large::Exact(self.needed.clone());
        match &self.most {
            Some(most) => write!(
                f,
                "f never exceeds {}, but h_{} takes f(l) ≥ {needed}",
                Large::Exact(most.clone()),
                self.at
            ),
            None => write!(
                f,
                "no load l with f(l) ≥ {needed} was found for h_{}",
                self.at
            ),
        }
    }
}

/// **Lemma 2.** Let f satisfy Properties 1 and 2, h_0 = 2T, and f(h_i − T) ≥ h_{i−1} for i = 1, …,
/// z. Then Φ_f ≤ n·h_z.
///
/// The bound of the smallest such sequence, h_i = T + min {l : f(l) ≥ h_{i−1}}; with it the bound
/// is Φ_f itself. By Corollary 3 a sequence exists whenever f is unbounded. If some h_i has more
/// than 2¹⁶ bits, the others are followed by their logarithms (`sqrt`: every h_i is about the
/// square of the one before) or only counted (`log2`: h_i is a power with exponent h_{i−1}).
pub fn bound(constants: &Constants, f: &impl Function) -> Result<Large, NoSequence> {
    Ok(last(constants, f)?.times(constants.processors))
}

/// h_z.
pub(super) fn last(constants: &Constants, f: &impl Function) -> Result<Large, NoSequence> {
    let mut h = BigUint::from(constants.steps) * 2u8;
    for at in 1..=constants.splits {
        let Some(load) = f.least_load(&h) else {
            let most = f.most();
            // f is unbounded, but the load at which it reaches h is too large to write down.
            if most.is_none() && h.bits() > 20 {
                return Ok(Large::Tower(constants.splits - at + 1));
            }
            return Err(NoSequence {
                at,
                needed: h,
                most,
            });
        };
        let next = load + constants.steps;
        if next.bits() > MOST_BITS {
            return Ok(followed(log10(h), log10(next), constants.splits - at));
        }
        h = next;
    }
    Ok(Large::Exact(h))
}

fn log10(number: BigUint) -> f64 {
    Large::Exact(number).log10().expect("exact")
}

/// The last of `more` further numbers after two with these decimal logarithms.
fn followed(before: f64, now: f64, more: u64) -> Large {
    let log10 = if now < 1.5 * before {
        // Each is a multiple of the one before: logarithms grow linearly.
        now + (now - before) * more as f64
    } else if now < 3.0 * before {
        // Each is about the square of the one before.
        now * 2f64.powf(more as f64)
    } else {
        f64::INFINITY
    };
    if log10.is_finite() {
        Large::Log10(log10)
    } else {
        Large::Tower(more + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_policy::steal::StealFunction;

    fn h(name: &str, n: u64, lambda: f64, c: f64) -> Result<Large, NoSequence> {
        let f: StealFunction = name.parse().unwrap();
        bound(&Constants::new(n, lambda, c).unwrap(), &f)
    }

    #[test]
    fn bounded_functions_fail_with_a_reason() {
        let error = h("const:50", 1024, 0.5, 1.0).unwrap_err();
        // T = 41: h_1 = 5T takes K ≥ 2T = 82.
        assert_eq!(
            error.to_string(),
            "f never exceeds 50, but h_1 takes f(l) ≥ 82"
        );
        assert!(h("const:90", 1024, 0.5, 1.0).is_err());
        assert!(h("one", 4, 0.5, 1.0).is_err());
    }

    /// √: h_i is about (2T)^(2^i), so log₁₀ h_z is at least 2^z·log₁₀ 2T, and not much more.
    #[test]
    fn square_roots_are_followed_by_logarithms() {
        let constants = Constants::new(16, 0.5, 1.0).unwrap();
        let Large::Log10(log10) = h("sqrt", 16, 0.5, 1.0).unwrap() else {
            panic!("beyond 2^16 bits");
        };
        let least = 2f64.powi(constants.splits as i32) * (2.0 * constants.steps as f64).log10();
        assert!(
            log10 >= least && log10 < 1.05 * least,
            "{log10:e} {least:e}"
        );
    }

    #[test]
    fn logarithms_make_towers() {
        assert!(matches!(h("log2", 16, 0.5, 1.0), Ok(Large::Tower(80..=87))));
    }

    /// Beyond 2¹⁶ bits `half` still has its closed form, n·(3T·2^z − T).
    #[test]
    fn large_c_is_followed_by_logarithms() {
        let constants = Constants::new(1_000_000, 0.9, 1e4).unwrap();
        assert!(constants.splits > MOST_BITS);
        let closed =
            (1e6 * 3.0 * constants.steps as f64).log10() + constants.splits as f64 * 2f64.log10();
        let found = h("half", 1_000_000, 0.9, 1e4).unwrap().log10().unwrap();
        assert!((found / closed - 1.0).abs() < 1e-8, "{found} {closed}");
    }
}
