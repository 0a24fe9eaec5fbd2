//! BFG03, Lemma 20 (Bertsimas, Gamarnik and Tsitsiklis): from drift to tails.

/// **Lemma 20.** A Markov chain has a stationary distribution, under which a positive function Φ
/// has a finite mean. If from every state with Φ > β the expected change of Φ in a step is at most
/// −ξ < 0, no step changes Φ by more than ν, and a step raises Φ with probability at most p, then
/// for m = 0, 1, …
///
/// ```text
/// Pr[Φ > β + 2νm] ≤ (pν / (pν + ξ))^{m+1}          E[Φ] ≤ β + 2pν²/ξ
/// ```
///
/// Theorem 12 is this lemma for Φ(X_{iT}) with β = Φ_f, ν = nT, p = 1 and ξ = εnT (Lemma 19).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftTail {
    /// β.
    pub level: f64,
    /// ξ.
    pub fall: f64,
    /// ν.
    pub most: f64,
    /// p.
    pub rise: f64,
}

impl DriftTail {
    /// The bound on the mean of Φ.
    pub fn mean(&self) -> f64 {
        self.level + 2.0 * self.rise * self.most * self.most / self.fall
    }

    /// β + 2νm, and the bound on the probability that Φ exceeds it.
    pub fn tail(&self, m: u32) -> (f64, f64) {
        let (up, power) = (self.rise * self.most, f64::from(m) + 1.0);
        let load = self.level + 2.0 * self.most * f64::from(m);
        (load, (up / (up + self.fall)).powf(power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::natural::{Constants, Large, theorem12};

    /// With the constants of Lemma 19 it gives the tails of Theorem 12, but for the nT that a step
    /// between two multiples of T adds.
    #[test]
    fn theorem_12_is_lemma_20() {
        let constants = Constants::new(16, 0.5, 1.0).unwrap();
        let nt = 16.0 * constants.steps as f64;
        let lemma = DriftTail {
            level: 1000.0,
            fall: constants.epsilon * nt,
            most: nt,
            rise: 1.0,
        };
        let bounds = theorem12::LoadBounds::new(&constants, &Large::Exact(1000u32.into()));
        for m in [0, 1, 7] {
            let (load, probability) = lemma.tail(m);
            let theorem = bounds.tail(m.into());
            assert!((theorem.probability - probability).abs() < 1e-12);
            let exact = theorem.load.exact().unwrap();
            assert_eq!(exact.to_string(), format!("{}", load + nt));
        }
        assert!((lemma.mean() - (1000.0 + 2.0 * nt / constants.epsilon)).abs() < 1e-6);
    }

    /// A walk on 0, 1, … that rises with probability p and falls with probability q has Pr[Φ > k] =
    /// (p/q)^{k+1}: the bound holds for every m.
    #[test]
    fn a_walk_is_below_the_bound() {
        for (p, q) in [(0.2, 0.5), (0.45, 0.5), (0.1, 0.9)] {
            let lemma = DriftTail {
                level: 0.0,
                fall: q - p,
                most: 1.0,
                rise: p,
            };
            let ratio: f64 = p / q;
            for m in 0..30 {
                let (load, bound) = lemma.tail(m);
                assert!(
                    ratio.powf(load + 1.0) <= bound * (1.0 + 1e-12),
                    "{p} {q} {m}"
                );
            }
            assert!(ratio / (1.0 - ratio) <= lemma.mean());
        }
    }
}
