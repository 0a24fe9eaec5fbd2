//! BFG03, Lemma 13 (BFG01, Lemma 3).

use super::Constants;

/// **Lemma 13.** Run chain Z from Z(x) for a state x with a load of at least Φ_f. Then Pr(Ψ ≤ τ′) ≤
/// n^−α: it is unlikely that some load is split z times before c·n·lg n requests have been made.
///
/// The decimal logarithm of n^−α.
pub fn log10_bound(constants: &Constants) -> f64 {
    -constants.alpha * (constants.processors as f64).log10()
}
