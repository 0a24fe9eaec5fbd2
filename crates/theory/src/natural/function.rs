//! Steal functions on loads of any size.

use filch_policy::steal::{Shape, StealFunction};
use num_bigint::BigUint;

/// f on loads that overflow every machine word, as Φ_f does.
///
/// Implemented for every [`StealFunction`]. A user's function needs [`Function::jobs`] only; its
/// inverse, [`Function::least_load`], is then found by search.
pub trait Function {
    /// f(l).
    fn jobs(&self, load: &BigUint) -> BigUint;

    /// The largest value of f, if it is bounded.
    fn most(&self) -> Option<BigUint> {
        None
    }

    /// The smallest load l with f(l) ≥ `jobs`; `None` if there is none, or none was found.
    fn least_load(&self, jobs: &BigUint) -> Option<BigUint> {
        search(|load| self.jobs(load) >= *jobs, 1 << 12)
    }
}

/// The smallest number that is `enough`, by doubling and then bisection; `None` if it has more than
/// `bits` bits. `enough` must be monotone.
pub(super) fn search(enough: impl Fn(&BigUint) -> bool, bits: u64) -> Option<BigUint> {
    if enough(&BigUint::ZERO) {
        return Some(BigUint::ZERO);
    }
    let top = (0..=bits).find(|&bit| enough(&(BigUint::from(1u8) << bit)))?;
    // Enough at 2^top, and not at half of that: find one bit after the other.
    let mut least = BigUint::from(1u8) << top;
    for bit in (0..top).rev() {
        let lower = &least - (BigUint::from(1u8) << bit);
        if enough(&lower) {
            least = lower;
        }
    }
    Some(least)
}

impl Function for StealFunction {
    fn jobs(&self, load: &BigUint) -> BigUint {
        let wanted = match self.shape() {
            Shape::Half => load / 2u8,
            Shape::Fraction(parts) => load / parts,
            Shape::One => 1u8.into(),
            Shape::Const(jobs) => jobs.into(),
            Shape::Sqrt => load.sqrt(),
            Shape::Log2 => load.bits().saturating_sub(1).into(),
        };
        let wanted = match self.cap() {
            Some(cap) => wanted.min(cap.into()),
            None => wanted,
        };
        wanted.min(load / 2u8)
    }

    fn most(&self) -> Option<BigUint> {
        StealFunction::most(*self).map(BigUint::from)
    }

    /// The inverse of each shape, but at least 2·`jobs`: f never gives more than half.
    fn least_load(&self, jobs: &BigUint) -> Option<BigUint> {
        if *jobs == BigUint::ZERO {
            return Some(BigUint::ZERO);
        }
        if Function::most(self).is_some_and(|most| most < *jobs) {
            return None;
        }
        let least = match self.shape() {
            Shape::Fraction(parts) => jobs * parts,
            Shape::Sqrt => jobs * jobs,
            // 2^jobs has `jobs` bits; a number of more than 2²⁴ bits is not built.
            Shape::Log2 => {
                BigUint::from(1u8) << u32::try_from(jobs).ok().filter(|bits| *bits < 1 << 24)?
            }
            Shape::Half | Shape::One | Shape::Const(_) => jobs * 2u8,
        };
        Some(least.max(jobs * 2u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_policy::steal::Steal;
    use proptest::prelude::*;

    fn any_function() -> impl Strategy<Value = StealFunction> {
        let names = [
            "half",
            "fraction:1",
            "fraction:5",
            "one",
            "const:0",
            "const:70",
            "sqrt",
            "log2",
            "min(half,9)",
            "min(sqrt,12)",
        ];
        prop::sample::select(names.to_vec()).prop_map(|name| name.parse().unwrap())
    }

    proptest! {
        /// The same values as on machine words.
        #[test]
        fn as_on_words(f in any_function(), load in prop_oneof![0..300u64, any::<u64>()]) {
            prop_assert_eq!(Function::jobs(&f, &load.into()), Steal::jobs(&f, load).into());
        }

        /// The inverse is what a search finds.
        #[test]
        fn least_loads(f in any_function(), jobs in prop_oneof![0..3u64, 0..200u64]) {
            let jobs = BigUint::from(jobs);
            let found = search(|load| Function::jobs(&f, load) >= jobs, 400);
            prop_assert_eq!(f.least_load(&jobs), found);
        }

        #[test]
        fn searches_end_at_the_least(least in any::<u64>()) {
            let least = BigUint::from(least);
            prop_assert_eq!(search(|number| *number >= least, 64), Some(least.clone()));
            prop_assert_eq!(search(|number| *number > least, 3).is_some(), least < BigUint::from(8u8));
        }
    }
}
