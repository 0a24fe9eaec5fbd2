//! Sets of servers as bits, 64 to a word, and conversions that treat many servers at a time.

use alloc::vec;
use alloc::vec::Vec;

/// The servers of a set, a bit for each: what [`Dispatch::fell_idle_together`] is told.
///
/// [`Dispatch::fell_idle_together`]: crate::dispatch::Dispatch::fell_idle_together
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerBits {
    words: Vec<u64>,
    count: usize,
}

impl ServerBits {
    /// No server of `servers`.
    pub fn none_of(servers: usize) -> Self {
        Self {
            words: vec![0; words(servers)],
            count: 0,
        }
    }

    /// The servers whose mark has its lowest bit set: 1, or 255, which is what a vector comparison
    /// gives. Marks beyond the last server must not be set.
    pub fn mark(&mut self, marks: &[u8]) {
        pack(marks, &mut self.words);
        self.count = count(&self.words);
    }

    /// How many servers are in the set.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The servers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        each_bit(&self.words)
    }

    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}

/// The number of words that have a bit for each of `servers`.
pub(crate) const fn words(servers: usize) -> usize {
    servers.div_ceil(64)
}

/// How many bits are set.
#[inline]
pub(crate) fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The places of the bits that are set, ascending.
pub(crate) fn each_bit(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        core::iter::from_fn(move || {
            let place = (rest != 0).then(|| 64 * at + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            place
        })
    })
}

/// Packs the lowest bit of each mark. Bits beyond the last mark are 0.
///
/// One multiplication turns eight bytes that are 0 or 1 into the bits of one byte: it moves byte i
/// from bit 8i to bit 56 + i, and no two partial products meet in one bit.
#[inline]
pub(crate) fn pack(marks: &[u8], words: &mut [u64]) {
    let (eights, rest) = marks.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let byte = |eight: &[u8; 8]| {
        let bytes = u64::from_le_bytes(*eight) & LOWEST;
        bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    let mut bytes = eights.chunks(8);
    for word in &mut *words {
        let of_word = bytes.next().unwrap_or_default().iter().enumerate();
        *word = of_word.fold(0, |word, (at, eight)| word | byte(eight) << (8 * at));
    }
    if let (false, Some(word)) = (rest.is_empty(), words.get_mut(eights.len() / 8)) {
        *word |= byte(&last) << (8 * (eights.len() % 8));
    }
}

/// 1 for each bit that is set, 0 for the others, one to a byte.
#[inline]
pub(crate) fn unpack(words: &[u64], ones: &mut [u8]) {
    for (ones, word) in ones.as_chunks_mut::<64>().0.iter_mut().zip(words) {
        for (at, eight) in ones.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *eight = spread(word >> (8 * at)).to_le_bytes();
        }
    }
}

/// The lowest bit of each byte, and the highest.
const LOWEST: u64 = 0x0101_0101_0101_0101;
const HIGHEST: u64 = LOWEST << 7;

/// The place of the set bit that has `rank` set bits below it; there is such a bit.
///
/// The byte first, then the bit in it, both by the same comparison of eight numbers at once. There
/// is no branch, because the place of a random bit would be mispredicted.
#[inline]
pub(crate) fn select(word: u64, rank: u32) -> u32 {
    let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    let (byte, rank) = passed(bytes, u64::from(rank));
    let (bit, _) = passed(spread(word >> (8 * byte)), rank);
    (8 * byte + bit) as u32
}

/// How many bytes from below can be added up without exceeding `rank`, and `rank` less their sum.
/// The bytes add up to at most 64, and to more than `rank`.
#[inline]
fn passed(bytes: u64, rank: u64) -> (u64, u64) {
    // Byte i: the sum of bytes 0 to i.
    let sums = bytes.wrapping_mul(LOWEST);
    // The highest bit of byte i says whether that sum is at most `rank`.
    let within = (((rank * LOWEST) | HIGHEST) - sums) & HIGHEST;
    let passed = (within >> 7).wrapping_mul(LOWEST) >> 56;
    (passed, rank - ((sums << 8) >> (8 * passed) & 0xFF))
}

/// The eight lowest bits, one to a byte.
///
/// They are copied to eight bytes, of which byte i keeps bit i. Adding 127 carries a kept bit to
/// the highest bit of its byte.
#[inline]
fn spread(bits: u64) -> u64 {
    let kept = ((bits & 0xFF) * LOWEST) & 0x8040_2010_0804_0201;
    let carried = ((kept & !HIGHEST) + (HIGHEST - LOWEST)) | kept;
    carried >> 7 & LOWEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn marks_become_bits(marks in prop::collection::vec(prop_oneof![Just(0u8), Just(1), Just(255)], 0..200)) {
            let expected: Vec<_> = (0..marks.len()).filter(|&at| marks[at] > 0).collect();
            // A set that is larger or as large as there are marks, and not empty before.
            for servers in [marks.len() + 100, marks.len()] {
                let mut set = ServerBits { words: vec![!0; words(servers)], count: 0 };
                set.mark(&marks);
                prop_assert_eq!(set.iter().collect::<Vec<_>>(), &*expected);
                prop_assert_eq!(set.count(), expected.len());
            }
        }

        #[test]
        fn bits_become_ones(words: [u64; 2]) {
            let mut ones = [9; 128];
            unpack(&words, &mut ones);
            for (at, &one) in ones.iter().enumerate() {
                prop_assert_eq!(u64::from(one), words[at / 64] >> (at % 64) & 1);
            }
            let mut packed = [9; 2];
            pack(&ones, &mut packed);
            prop_assert_eq!(packed, words);
        }

        #[test]
        fn every_bit_is_found_by_its_rank(word in prop_oneof![any::<u64>(), any::<u64>().prop_map(|word| word & word >> 7), Just(!0)]) {
            for (rank, place) in each_bit(&[word]).enumerate() {
                prop_assert_eq!(select(word, rank as u32) as usize, place);
            }
        }
    }
}
