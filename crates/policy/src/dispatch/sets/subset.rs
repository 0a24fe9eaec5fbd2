use alloc::vec::Vec;

use rand::{Rng, RngExt};

use super::bits::{count, pack, select, unpack, words};

/// Draws k of n candidates, every subset of that size being equally likely.
///
/// Give every candidate a random number and take the k smallest. The numbers are compared bit by
/// bit from the highest down, and only the bits that are needed are drawn: one word of the
/// generator gives a bit to 64 candidates. Candidates that drew 0 come before those that drew 1. If
/// those with 0 are at most k, all of them are chosen, and the next round decides among the others;
/// otherwise it decides among those with 0. Each round halves the number of open candidates, so a
/// hundred candidates take about five rounds, for any k.
///
/// Its memory is taken once.
#[derive(Clone, Debug, Default)]
pub(crate) struct SubsetDraw {
    /// Candidates that are neither chosen nor out.
    open: Vec<u64>,
    /// Of these, the ones that drew 0 in this round.
    zeros: Vec<u64>,
    chosen: Vec<u64>,
    /// A byte for each candidate: 1 if it is eligible, and later 1 if it was chosen.
    marks: Vec<u8>,
}

impl SubsetDraw {
    /// For up to `most` candidates.
    pub(crate) fn over(most: usize) -> Self {
        let mut subset = Self::default();
        subset.resize(most);
        subset
    }

    /// Now for up to `most` candidates.
    pub(crate) fn resize(&mut self, most: usize) {
        for set in [&mut self.open, &mut self.zeros, &mut self.chosen] {
            set.resize(words(most), 0);
        }
        self.marks.resize(64 * words(most), 0);
    }

    /// The bits of those that were drawn.
    #[inline]
    pub(crate) fn chosen(&self) -> &[u64] {
        &self.chosen
    }

    /// 1 for those that were drawn, 0 for the others.
    #[inline]
    pub(crate) fn ones(&mut self) -> &[u8] {
        unpack(&self.chosen, &mut self.marks);
        &self.marks
    }

    /// Draws `some` of the values that are `eligible`; at least so many are.
    #[inline]
    pub(crate) fn draw_where<R: Rng + ?Sized>(
        &mut self,
        values: &[u32],
        eligible: impl Fn(u32) -> bool,
        some: usize,
        rng: &mut R,
    ) {
        let marks = &mut self.marks[..values.len()];
        for (mark, &value) in marks.iter_mut().zip(values) {
            *mark = u8::from(eligible(value));
        }
        let words = words(values.len());
        pack(marks, &mut self.open[..words]);
        self.decide(words, some, rng);
    }

    /// Draws `some` of `candidates`; at least so many bits are set.
    #[inline]
    pub(crate) fn draw<R: Rng + ?Sized>(&mut self, candidates: &[u64], some: usize, rng: &mut R) {
        self.open[..candidates.len()].copy_from_slice(candidates);
        self.decide(candidates.len(), some, rng);
    }

    fn decide<R: Rng + ?Sized>(&mut self, words: usize, some: usize, rng: &mut R) {
        match words {
            // Two words stay in registers.
            2 => {
                let mut chosen = [0; 2];
                let mut open = [self.open[0], self.open[1]];
                decide::<true, R>(&mut open, &mut [0; 2], &mut chosen, some, rng);
                self.chosen[..2].copy_from_slice(&chosen);
            }
            _ => {
                let chosen = &mut self.chosen[..words];
                chosen.fill(0);
                decide::<false, R>(
                    &mut self.open[..words],
                    &mut self.zeros[..words],
                    chosen,
                    some,
                    rng,
                );
            }
        }
    }
}

/// Draws `some` of those that are `open` and adds them to those that are `chosen`. If `SHORT`,
/// there are so few words that none is skipped.
#[inline(always)]
fn decide<const SHORT: bool, R: Rng + ?Sized>(
    open: &mut [u64],
    zeros: &mut [u64],
    chosen: &mut [u64],
    some: usize,
    rng: &mut R,
) {
    let (mut remaining, mut candidates) = (some as u32, count(open) as u32);
    debug_assert!(remaining <= candidates);
    // A few are picked faster one by one.
    while remaining > FEW && candidates - remaining > FEW {
        let mut drew_zero = 0;
        for (zeros, &open) in zeros.iter_mut().zip(&*open) {
            // In late rounds of a large draw, most words have no open candidate.
            let draws = SHORT || open != 0;
            *zeros = if draws { open & rng.next_u64() } else { 0 };
            drew_zero += zeros.count_ones();
        }
        // Whether those with 0 fit is as random as a coin, so it is computed without a branch: a
        // mask of all bits or none.
        let fits = (i64::from(drew_zero) - i64::from(remaining) - 1) >> 63;
        for ((chosen, open), zeros) in chosen.iter_mut().zip(&mut *open).zip(&*zeros) {
            *chosen |= zeros & fits as u64;
            *open = (*open & fits as u64) ^ zeros;
        }
        remaining -= drew_zero & fits as u32;
        // Open are the others if those with 0 fit, otherwise those with 0.
        candidates = (candidates & fits as u32).wrapping_sub(drew_zero);
        candidates = (candidates ^ !fits as u32).wrapping_sub(!fits as u32);
    }
    if remaining <= FEW {
        for candidates in (candidates - remaining + 1..=candidates).rev() {
            let (word, bit) = find(open, rng.random_range(0..candidates));
            open[word] ^= bit;
            chosen[word] |= bit;
        }
    } else {
        for candidates in (remaining + 1..=candidates).rev() {
            let (word, bit) = find(open, rng.random_range(0..candidates));
            open[word] ^= bit;
        }
        for (chosen, open) in chosen.iter_mut().zip(&*open) {
            *chosen |= open;
        }
    }
}

/// When only so many are still to be chosen, or to be left out, they are picked one by one.
const FEW: u32 = 2;

/// The number of the word, and the bit in it, that has `rank` set bits before it; there is such a
/// bit. The word is random, so all words are counted without a branch.
#[inline]
pub(crate) fn find(words: &[u64], rank: u32) -> (usize, u64) {
    let (mut at, mut before, mut sum) = (0, 0, 0);
    for word in words {
        sum += word.count_ones();
        let passed = sum <= rank;
        at += usize::from(passed);
        before = if passed { sum } else { before };
    }
    (at, 1 << select(words[at], rank - before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::sets::bits::each_bit;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// As many as requested, all of them candidates, independent of earlier draws.
        #[test]
        fn some_of_the_candidates(
            candidates in prop::collection::vec(prop_oneof![Just(0u64), any::<u64>(), Just(1u64 << 40)], 1..6),
            part in 0.0..=1.0f64,
            seed: u64,
        ) {
            let mut rng = Seed::new(seed).stream(Purpose::named("test"), 0, 0);
            let mut subset = SubsetDraw::over(64 * 6);
            subset.draw(&[!0; 6], 100, &mut rng);
            let some = (part * count(&candidates) as f64) as usize;
            subset.draw(&candidates, some, &mut rng);
            let chosen = &subset.chosen()[..candidates.len()];
            prop_assert_eq!(count(chosen), some);
            prop_assert!(chosen.iter().zip(&candidates).all(|(chosen, all)| chosen & !all == 0));

            let values: Vec<u32> = (0..64 * candidates.len())
                .map(|at| (candidates[at / 64] >> (at % 64) & 1) as u32)
                .collect();
            let values = &values[..values.len() - 13];
            let eligible = values.iter().filter(|&&value| value == 1).count();
            subset.draw_where(values, |value| value == 1, some.min(eligible), &mut rng);
            let chosen: Vec<_> = each_bit(&subset.chosen()[..candidates.len()]).collect();
            prop_assert_eq!(chosen.len(), some.min(eligible));
            prop_assert!(chosen.iter().all(|&at| values[at] == 1));
        }
    }

    /// Every subset is as likely as any other, within a word and over several. Nine chi-square
    /// tests at 10⁻⁵: a right program with a new seed fails one of them once in 11 000 times.
    #[test]
    fn all_subsets_are_equally_likely() {
        let within = [0b0010_1110_1011u64, 0, 0];
        let across = [1 << 63 | 1, 0b1011, 1 << 17];
        for (candidates, sizes) in [(within, 1..7), (across, 2..5)] {
            for some in sizes {
                let mut rng = Seed::new(2).stream(Purpose::named("test"), some as u64, 0);
                let mut subset = SubsetDraw::over(192);
                let mut counts = BTreeMap::new();
                for _ in 0..40_000 {
                    subset.draw(&candidates, some, &mut rng);
                    *counts.entry(subset.chosen().to_vec()).or_insert(0u64) += 1;
                }
                let n = count(&candidates) as u64;
                let subsets = (0..some as u64).fold(1, |ways, k| ways * (n - k) / (k + 1));
                assert_eq!(counts.len() as u64, subsets, "{some} of {n}");
                let counts: Vec<u64> = counts.into_values().collect();
                let p = filch_stats::chi_square_uniform(&counts).expect("large counts");
                assert!(p > 1e-5, "{some} of {n}: {p}");
            }
        }
    }
}
