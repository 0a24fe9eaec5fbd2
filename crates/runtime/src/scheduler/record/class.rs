//! Classes of tasks: tasks that are so alike that one stands for all.
//!
//! Two tasks are alike if they take the same steps (strands, and forks at the same sites) and their
//! work, span, path and forks fall into the same buckets. A bucket holds numbers that agree in
//! their first binary digits: with d digits after the first, they differ by less than one part in
//! 2^d, the *tolerance*.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

use super::clock::Ticks;

/// What a computation measures, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) work: Ticks,
    pub(super) span: Ticks,
    pub(super) path: Ticks,
    pub(super) forks: u64,
}

/// The name of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClassKey(u64);

impl ClassKey {
    /// Of a task whose steps mix to `shape`, with `digits` digits.
    #[inline]
    pub(super) fn new(shape: u64, sums: &Sums, digits: u32) -> Self {
        let mut key = mix(shape, bucket(sums.work, digits));
        key = mix(key, bucket(sums.span, digits));
        key = mix(key, bucket(sums.forks, digits));
        // Most tasks leave no children behind.
        if sums.path != sums.span {
            key = mix(key, bucket(sums.path, digits));
        }
        Self(mix(key, digits.into()))
    }
}

/// Numbers with the same bucket agree in their first digits.
#[inline]
fn bucket(number: u64, digits: u32) -> u64 {
    let below = (u64::BITS - number.leading_zeros()).saturating_sub(digits + 1);
    u64::from(below) << 32 | number >> below
}

/// Mixes one more number into a hash: the multiplication of two words of wyhash, folded.
#[inline]
pub(super) fn mix(hash: u64, number: u64) -> u64 {
    let product =
        u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(number ^ 0xd1b5_4a32_d192_ed03);
    product as u64 ^ (product >> 64) as u64
}

/// A map by keys that are hashes already.
pub(super) type ByHash<K, V> = HashMap<K, V, BuildHasherDefault<AsIs>>;

#[derive(Default)]
pub(super) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0, u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_bucket_differ_by_less_than_the_tolerance() {
        for digits in [0, 1, 3, 6] {
            let tolerance = 0.5f64.powi(digits as i32);
            let mut first = 1u64;
            for number in 1..200_000u64 {
                if bucket(number, digits) != bucket(first, digits) {
                    // The last bucket was not narrower than a half of what it may be.
                    let width = (number - first) as f64 / first as f64;
                    assert!(width >= tolerance / 2.0, "{first} {number} {digits}");
                    first = number;
                }
                let apart = (number - first) as f64 / number as f64;
                assert!(apart < tolerance, "{first} {number} {digits}");
            }
        }
    }

    #[test]
    fn a_class_depends_on_everything() {
        let sums = Sums {
            work: 1000,
            span: 500,
            path: 500,
            forks: 30,
        };
        let key = |shape, sums| ClassKey::new(shape, &sums, 6);
        let others = [
            key(2, sums),
            key(1, Sums { work: 1100, ..sums }),
            key(
                1,
                Sums {
                    span: 600,
                    path: 600,
                    ..sums
                },
            ),
            key(1, Sums { path: 400, ..sums }),
            key(1, Sums { forks: 31, ..sums }),
            ClassKey::new(1, &sums, 5),
        ];
        assert!(others.iter().all(|other| *other != key(1, sums)));
        assert_eq!(key(1, sums), key(1, Sums { work: 1001, ..sums }));
    }
}
