//! Sums of powers of three, compared exactly.
//!
//! The potential of ABP01 is a sum of terms 3^e with e up to twice the span: thousands of digits.
//! It is kept as how often each power occurs, which is just as exact and needs no long arithmetic:
//! a comparison goes from the greatest power down and stops as soon as nothing below can change it.

use std::cmp::{Ordering, Reverse};

/// A sum of powers of three.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Powers {
    /// Exponent and how often, greatest first.
    terms: Vec<(u64, u64)>,
}

impl FromIterator<u64> for Powers {
    /// The sum of 3^e over these exponents.
    fn from_iter<I: IntoIterator<Item = u64>>(exponents: I) -> Self {
        Self::multiples(exponents.into_iter().map(|exponent| (exponent, 1)))
    }
}

impl Powers {
    /// The sum of c·3^e over these pairs (e, c).
    pub(super) fn multiples(terms: impl Iterator<Item = (u64, u64)>) -> Self {
        let mut all: Vec<(u64, u64)> = terms.collect();
        all.sort_unstable_by_key(|&(exponent, _)| Reverse(exponent));
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Self { terms: all }
    }

    /// The terms: exponent and how often, greatest first.
    pub fn terms(&self) -> &[(u64, u64)] {
        &self.terms
    }

    /// Compares `this`·self with `that`·other.
    pub fn compare(&self, this: u32, other: &Self, that: u32) -> Ordering {
        let signed = |terms: &[(u64, u64)], factor: i128| -> Vec<(u64, i128)> {
            terms
                .iter()
                .map(|&(exponent, count)| (exponent, factor * i128::from(count)))
                .collect()
        };
        let mut terms = signed(&self.terms, i128::from(this));
        terms.extend(signed(&other.terms, -i128::from(that)));
        terms.sort_unstable_by_key(|&(exponent, _)| Reverse(exponent));
        let mut below: i128 = terms.iter().map(|(_, count)| count.abs()).sum();
        // `sum` counts 3^exponent; all that follows is at most `below` times that.
        let (mut sum, mut exponent) = (0i128, 0);
        for (next, count) in terms {
            for _ in next..exponent {
                if sum == 0 || sum.abs() > below {
                    break;
                }
                sum *= 3;
            }
            if sum.abs() > below {
                break;
            }
            exponent = next;
            sum += count;
            below -= count.abs();
        }
        sum.cmp(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigUint;
    use proptest::prelude::*;

    fn exact(powers: &Powers) -> BigUint {
        let three = BigUint::from(3u32);
        let terms = powers.terms().iter();
        terms
            .map(|&(exponent, count)| three.pow(exponent as u32) * count)
            .sum()
    }

    proptest! {
        /// The same as with integers of any length.
        #[test]
        fn comparisons_are_exact(
            a in prop::collection::vec(0u64..40, 0..60),
            b in prop::collection::vec(0u64..40, 0..60),
            factors in (1u32..5, 1u32..5),
        ) {
            let [a, b] = [a, b].map(|exponents| exponents.into_iter().collect::<Powers>());
            let expected = (exact(&a) * factors.0).cmp(&(exact(&b) * factors.1));
            prop_assert_eq!(a.compare(factors.0, &b, factors.1), expected);
        }
    }

    /// Many small terms against one large, where the decision falls at the last term.
    #[test]
    fn close_calls() {
        for n in 1..12 {
            // 3^n = 3·3^(n−1) = 2·(3^(n−1) + … + 1) + 1
            let large: Powers = [n].into_iter().collect();
            let twice = (0..n).chain(0..n);
            let less: Powers = twice.clone().collect();
            let equal: Powers = twice.clone().chain([0]).collect();
            let more: Powers = twice.chain([0, 0]).collect();
            assert_eq!(large.compare(1, &less, 1), Ordering::Greater);
            assert_eq!(large.compare(1, &equal, 1), Ordering::Equal);
            assert_eq!(large.compare(1, &more, 1), Ordering::Less);
            assert_eq!(exact(&large), exact(&equal));
        }
    }

    #[test]
    fn far_apart() {
        let [high, low]: [Powers; 2] = [
            [1_000_000_000_000].into_iter().collect(),
            vec![999_999_999_990; 1000].into_iter().collect(),
        ];
        assert_eq!(high.compare(1, &low, 1), Ordering::Greater);
        assert_eq!(low.compare(60, &high, 1), Ordering::Greater);
        assert_eq!(low.compare(59, &high, 1), Ordering::Less);
        assert_eq!(
            Powers::default().compare(4, &Powers::default(), 3),
            Ordering::Equal
        );
    }
}
