//! BFG03, Definitions 1 and 11.

use std::error::Error;
use std::f64::consts::E;
use std::fmt;

/// The constants that every bound is made of, for n processors, arrival rate λ and the constant c.
///
/// ```text
/// α = 4e(c + 1)              z = ⌈α lg n⌉
/// ν = n⁻² + n^−α             T = ⌈2c lg n / (1 − λ/(1 − ν))⌉             ε = (1 − λ/(1 − ν)) / 4
/// ```
///
/// δ is the largest that the theorems allow, 1 − λ. c is any positive number here; the proofs need
/// one that is "sufficiently large with respect to δ⁻¹", which [`lemma14`](super::lemma14) makes
/// explicit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// n.
    pub processors: u64,
    /// λ.
    pub lambda: f64,
    /// c.
    pub c: f64,
    /// α.
    pub alpha: f64,
    /// z: the most splits of a heavy load that the proof allows for.
    pub splits: u64,
    /// ν: a bound on the probability that the argument of the proof fails.
    pub nu: f64,
    /// T: the number of steps over which the proof takes the drift.
    pub steps: u64,
    /// ε: a quarter of the remaining capacity, 1 − λ/(1 − ν).
    pub epsilon: f64,
}

/// Why the constants are not defined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Undefined {
    /// c is not a positive number.
    BadC,
    /// ν ≥ 1 − λ, for which T is not defined (Definition 1).
    TooFewProcessors {
        /// ν.
        nu: f64,
        /// 1 − λ.
        delta: f64,
    },
    /// T or z has more than 63 bits.
    TooLarge,
}

impl Constants {
    /// The constants for n, λ and c.
    pub fn new(processors: u64, lambda: f64, c: f64) -> Result<Self, Undefined> {
        if !(c > 0.0 && c.is_finite()) {
            return Err(Undefined::BadC);
        }
        let n = processors as f64;
        let alpha = 4.0 * E * (c + 1.0);
        let nu = n.powi(-2) + n.powf(-alpha);
        let delta = 1.0 - lambda;
        if nu.is_nan() || nu >= delta {
            return Err(Undefined::TooFewProcessors { nu, delta });
        }
        let spare = 1.0 - lambda / (1.0 - nu);
        let (splits, steps) = (alpha * n.log2(), 2.0 * c / spare * n.log2());
        if splits.max(steps) >= 2f64.powi(63) {
            return Err(Undefined::TooLarge);
        }
        Ok(Self {
            processors,
            lambda,
            c,
            alpha,
            splits: splits.ceil() as u64,
            nu,
            steps: steps.ceil() as u64,
            epsilon: spare / 4.0,
        })
    }

    /// c·n·lg n: the number of requests that defines τ and τ′.
    pub fn requests(&self) -> f64 {
        let n = self.processors as f64;
        self.c * n * n.log2()
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadC => f.write_str("c must be a positive number"),
            Self::TooFewProcessors { nu, delta } => write!(
                f,
                "the bounds need ν < 1 − λ, but ν = {nu:.3e} and 1 − λ = {delta:.3e}: more processors or a smaller λ"
            ),
            Self::TooLarge => f.write_str("T or z has more than 63 bits: use a smaller c or λ"),
        }
    }
}

impl Error for Undefined {}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, for n = 16, λ = 1/2, c = 1: α = 8e, z = ⌈32e⌉ = 87, ν = 1/256 + 16^−21.7, T = ⌈8 /
    /// (1 − 128/255)⌉.
    #[test]
    fn by_hand() {
        let constants = Constants::new(16, 0.5, 1.0).unwrap();
        assert_eq!((constants.splits, constants.steps), (87, 17));
        assert!((constants.alpha - 21.746_254_627_672_36).abs() < 1e-12);
        assert!((constants.nu - 1.0 / 256.0).abs() < 1e-18);
        assert!((constants.epsilon - (127.0 / 255.0) / 4.0).abs() < 1e-15);
        assert_eq!(constants.requests(), 64.0);
    }

    #[test]
    fn what_is_undefined_says_why() {
        assert_eq!(Constants::new(10, 0.5, 0.0), Err(Undefined::BadC));
        assert_eq!(Constants::new(10, 0.5, f64::NAN), Err(Undefined::BadC));
        assert_eq!(
            Constants::new(10, 0.995, 1.0).unwrap_err().to_string(),
            "the bounds need ν < 1 − λ, but ν = 1.000e-2 and 1 − λ = 5.000e-3: more processors or a smaller λ"
        );
        for (n, lambda) in [(0, 0.5), (1, 0.0), (10, 1.0)] {
            assert!(matches!(
                Constants::new(n, lambda, 1.0),
                Err(Undefined::TooFewProcessors { .. })
            ));
        }
        assert_eq!(Constants::new(10, 0.5, 1e30), Err(Undefined::TooLarge));
    }
}
