//! BFG03, Theorem 12, and BFG01, Theorem 2: how large the load is.

use num_bigint::BigUint;
use num_traits::FromPrimitive;

use super::{Constants, Large};

/// **Theorem 12 (BFG03).** Let λ ≤ 1 − δ and let f satisfy Properties 1–3. Then for every n which
/// is sufficiently large with respect to δ⁻¹, in the stationary distribution
///
/// ```text
/// E[Φ] ≤ Φ_f + 2nT/ε + nT
/// Pr[Φ > Φ_f + 2nTm + nT] ≤ exp(−ln(1 + ε)·(m + 1))        for m = 0, 1, …
/// ```
///
/// **Theorem 2 (BFG01)** is the same with 2n²T/ε in the first line and exp(−(m + 1)·ε/(n + ε)) in
/// the second: its drift lacks a factor of n (Lemma 7 has −2εT where BFG03's Lemma 18 has −2εnT).
///
/// Real terms are rounded up, so that the integers are bounds too.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadBounds {
    /// The bound on the mean load of BFG03.
    pub mean: Large,
    /// The bound on the mean load of BFG01.
    pub mean_2001: Large,
    phi: Large,
    constants: Constants,
}

/// Φ exceeds `load` with at most the given probability.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadTail {
    /// Φ_f + 2nTm + nT.
    pub load: Large,
    /// The probability of BFG03.
    pub probability: f64,
    /// The probability of BFG01.
    pub probability_2001: f64,
}

impl LoadBounds {
    /// The bounds for a function with this Φ_f, or with Φ_f at most this.
    pub fn new(constants: &Constants, phi: &Large) -> Self {
        let (n, steps) = (constants.processors as f64, constants.steps as f64);
        let drift = 2.0 * n * steps / constants.epsilon;
        let rest = product(constants.processors, constants.steps);
        Self {
            mean: phi.plus(&(ceiling(drift) + &rest)),
            mean_2001: phi.plus(&(ceiling(n * drift) + &rest)),
            phi: phi.clone(),
            constants: *constants,
        }
    }

    /// The bound on the tail with this m.
    pub fn tail(&self, m: u64) -> LoadTail {
        let nt = product(self.constants.processors, self.constants.steps);
        let (n, epsilon) = (self.constants.processors as f64, self.constants.epsilon);
        let power = m as f64 + 1.0;
        LoadTail {
            load: self.phi.plus(&(&nt * 2u8 * m + &nt)),
            probability: (-epsilon.ln_1p() * power).exp(),
            probability_2001: (-power * epsilon / (n + epsilon)).exp(),
        }
    }

    /// The least m for which BFG03's tail is at most `probability`, which is positive.
    pub fn least_m(&self, probability: f64) -> u64 {
        ((-probability.ln() / self.constants.epsilon.ln_1p()).ceil() as u64).saturating_sub(1)
    }
}

fn product(a: u64, b: u64) -> BigUint {
    BigUint::from(a) * b
}

fn ceiling(real: f64) -> BigUint {
    BigUint::from_f64(real.ceil()).expect("a finite number that is not negative")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::phi;
    use filch_policy::steal::StealFunction;

    /// n = 16, λ = 1/2, c = 1: T = 17, ε = 127/1020, so 2nT/ε = 544·1020/127 = 4369.1…
    #[test]
    fn by_hand() {
        let constants = Constants::new(16, 0.5, 1.0).unwrap();
        let phi = phi::search(&constants, &StealFunction::HALF).unwrap();
        let bounds = LoadBounds::new(&constants, &phi.clone().into());
        assert_eq!(bounds.mean, Large::Exact(&phi + 4370u32 + 272u32));
        // 69905.5… = 16 · 4369.1…
        assert_eq!(bounds.mean_2001, Large::Exact(&phi + 69_907u32 + 272u32));
        let tail = bounds.tail(3);
        assert_eq!(tail.load, Large::Exact(&phi + 3 * 544u32 + 272u32));
        let base: f64 = 1.0 + 127.0 / 1020.0;
        assert!((tail.probability - base.powi(-4)).abs() < 1e-12);
        let exponent = -4.0 * (127.0 / 1020.0) / (16.0 + 127.0 / 1020.0);
        assert!((tail.probability_2001 - f64::exp(exponent)).abs() < 1e-12);
    }

    /// The bounds of 2003 are never weaker.
    #[test]
    fn the_later_version_is_tighter() {
        for n in [8, 100, 10_000] {
            let constants = Constants::new(n, 0.7, 1.0).unwrap();
            let bounds = LoadBounds::new(&constants, &Large::Exact(BigUint::ZERO));
            assert!(bounds.mean.exact() < bounds.mean_2001.exact());
            for m in [0, 1, 10, 1000] {
                let tail = bounds.tail(m);
                assert!(tail.probability < tail.probability_2001);
            }
        }
    }

    #[test]
    fn the_least_m() {
        let constants = Constants::new(100, 0.7, 1.0).unwrap();
        let bounds = LoadBounds::new(&constants, &Large::Exact(BigUint::ZERO));
        for probability in [0.5, 0.01, 1e-9] {
            let m = bounds.least_m(probability);
            assert!(bounds.tail(m).probability <= probability);
            assert!(m == 0 || bounds.tail(m - 1).probability > probability);
        }
        assert_eq!(bounds.least_m(1.0), 0);
    }
}
