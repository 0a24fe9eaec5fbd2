//! BFG03, Lemma 14 (BFG01, Lemma 4), and what its proof needs of c and n.

use std::f64::consts::LN_2;

use super::Constants;

/// **Lemma 14.** Run chain Z from Z(x) for a state x with a load of at least Φ_f. Then Pr(τ′ ≤ T) ≤
/// n⁻²: it is unlikely that c·n·lg n requests are made in T steps.
///
/// c and n have to be "sufficiently large with respect to δ⁻¹". These are the constants of the
/// proof:
///
/// ```text
/// s = c·n·lg n / 8T           the least number of requests in a dangerous step
/// σ = exp(−2s²/n)             a bound on the probability that a step deviates from its mean
/// γ = 1 − σ − (1 − 1/n)^s     the probability that a heavy processor is asked in a dangerous step
/// D = 2(2 − γ)/γ · log_{1+γ/2} n      dangerous steps until all processors are heavy
/// ```
///
/// It needs γ > 0, D < (c lg n)/2, and exp(−(log_{1+γ/2} n)/4) + σT ≤ n⁻².
///
/// σ is BFG03's. Its Lemma 9 states Hoeffding's inequality for both sides, |Ẑ − E\[Ẑ\]| ≥ t,
/// without the factor 2 that BFG01 has (2 exp(−2s²/n)); that is a slip. The proof uses each side by
/// itself: a step that is not dangerous must not have too many requests, a dangerous one not too
/// few. For one side the bound without the factor is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// σ.
    pub sigma: f64,
    /// γ, which must be positive.
    pub gamma: f64,
    /// The least c with D < (c lg n)/2, if γ > 0.
    pub least_c: Option<f64>,
    /// exp(−(log_{1+γ/2} n)/4) + σT, if γ > 0.
    pub probability: Option<f64>,
    /// n⁻².
    pub bound: f64,
    c: f64,
}

impl Proof {
    /// The proof's constants.
    pub fn new(constants: &Constants) -> Self {
        let n = constants.processors as f64;
        let steps = constants.steps as f64;
        let s = constants.requests() / (8.0 * steps);
        let sigma = (-2.0 * s * s / n).exp();
        let gamma = 1.0 - sigma - (s * (-1.0 / n).ln_1p()).exp();
        let growth = (gamma / 2.0).ln_1p();
        let when_positive = |value: f64| (gamma > 0.0).then_some(value);
        Self {
            sigma,
            gamma,
            least_c: when_positive(4.0 * (2.0 - gamma) / gamma * LN_2 / growth),
            probability: when_positive((-n.ln() / growth / 4.0).exp() + sigma * steps),
            bound: n.powi(-2),
            c: constants.c,
        }
    }

    /// Why the proof does not cover this n, λ and c; `None` if it does.
    pub fn fails(&self) -> Option<String> {
        let (Some(least_c), Some(probability)) = (self.least_c, self.probability) else {
            return Some(format!(
                "n is too small for the proof of Lemma 14: σ = {:.3e} leaves γ = {:.3e}, which must be positive",
                self.sigma, self.gamma
            ));
        };
        if self.c <= least_c {
            return Some(format!(
                "c = {} is too small for the proof of Lemma 14: it takes more than {least_c:.3e}",
                self.c
            ));
        }
        (probability > self.bound).then(|| {
            format!(
                "n is too small for the proof of Lemma 14: its probability is {probability:.3e} and must be at most n⁻² = {:.3e}",
                self.bound
            )
        })
    }
}

/// The least c, to about three digits, with which the proof covers n processors at λ; `None` if no
/// c will do.
pub fn least_c(processors: u64, lambda: f64) -> Option<f64> {
    // γ depends on c only through the rounding of T, so a few iterations are enough.
    let mut c = 1e3;
    for _ in 0..4 {
        let proof = Proof::new(&Constants::new(processors, lambda, c).ok()?);
        c = 1.001 * proof.least_c?;
    }
    let constants = Constants::new(processors, lambda, c).ok()?;
    Proof::new(&constants).fails().is_none().then_some(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The proof needs a c above 10⁴ and many processors.
    #[test]
    fn sufficiently_large() {
        let c = least_c(1_000_000, 0.5).unwrap();
        assert!((1e4..2e4).contains(&c), "{c}");
        let constants = Constants::new(1_000_000, 0.5, c).unwrap();
        assert_eq!(Proof::new(&constants).fails(), None);
        // A little less is too little.
        let constants = Constants::new(1_000_000, 0.5, c / 1.01).unwrap();
        assert!(Proof::new(&constants).fails().unwrap().starts_with("c = "));
        assert_eq!(least_c(100, 0.5), None);
    }

    /// γ is near 1 − exp(−δ/16): about δ/16, as T is about 2c lg n / δ.
    #[test]
    fn gamma_is_near_its_limit() {
        for lambda in [0.5, 0.9] {
            let constants = Constants::new(10_000_000, lambda, 1e5).unwrap();
            let expected = 1.0 - (-(1.0 - lambda) / 16.0f64).exp();
            let gamma = Proof::new(&constants).gamma;
            assert!((gamma / expected - 1.0).abs() < 1e-3, "{gamma} {expected}");
        }
    }

    #[test]
    fn few_processors_say_why() {
        let constants = Constants::new(64, 0.9, 2.0).unwrap();
        let reason = Proof::new(&constants).fails().unwrap();
        assert!(reason.starts_with("n is too small"), "{reason}");
    }
}
