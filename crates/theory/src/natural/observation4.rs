//! BFG03, Observation 4: a cap on f that changes nothing.

use super::{Constants, Function, Large, lemma2};

/// **Observation 4.** With h_0, …, h_z as in [Lemma 2](lemma2::bound), f′(l) = min(f(l), f(h_z))
/// satisfies Properties 1–3 and has Φ_f′ ≤ n·h_z: no processor has to give more than f(h_z) jobs at
/// once.
///
/// The cap f(h_z); for f = `half` this is the paper's sufficient condition on constant steal
/// amounts. Where h_z has more than 2¹⁶ bits, the lower bound h_{z−1} ≤ f(h_z) is given instead.
pub fn cap(constants: &Constants, f: &impl Function) -> Result<Large, lemma2::NoSequence> {
    Ok(match lemma2::last(constants, f)? {
        Large::Exact(h) => Large::Exact(f.jobs(&h)),
        _ => {
            let one_less = Constants {
                splits: constants.splits.saturating_sub(1),
                ..*constants
            };
            lemma2::last(&one_less, f)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_policy::steal::StealFunction;

    /// Capped there, Φ_f′ is what Φ_f was; capped below h_{z−1}, there is none.
    #[test]
    fn enough_and_too_little() {
        let constants = Constants::new(4, 0.3, 0.1).unwrap();
        let half = StealFunction::HALF;
        let cap = cap(&constants, &half).unwrap();
        let cap: u64 = cap.exact().unwrap().try_into().unwrap();
        let bound = |f| lemma2::bound(&constants, &f);
        assert_eq!(bound(half.capped(cap)), bound(half));

        let one_less = Constants {
            splits: constants.splits - 1,
            ..constants
        };
        let needed = lemma2::last(&one_less, &half).unwrap();
        let needed: u64 = needed.exact().unwrap().try_into().unwrap();
        assert!(bound(half.capped(needed)).is_ok());
        assert!(bound(half.capped(needed - 1)).is_err());
    }
}
