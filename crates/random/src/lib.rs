//! Random streams: where every random number of a simulation comes from.
//!
//! A result is worth quoting only if it can be reproduced. So there is one named generator,
//! xoshiro256++ ([`Stream`]), and no two parts of a simulation share one: each replication, each
//! server and each purpose has a stream of its own. It is found from the seed by its *address*, not
//! by the order of events. Two consequences:
//!
//! * **Threads do not matter.** Replication 7 draws the same numbers whether it runs first, last or
//!   beside the others.
//! * **Common random numbers come for free.** Two policies that are compared on the same seed meet
//!   the same arrivals and capacities: what one of them draws for its own decisions affects no
//!   other stream.
//!
//! ```
//! use filch_random::{Purpose, Seed};
//! use rand::RngExt;
//!
//! const ARRIVALS: Purpose = Purpose::named("arrivals");
//! const ROUTING: Purpose = Purpose::named("routing");
//!
//! let seed = Seed::new(1);
//! let mut arrivals = seed.stream(ARRIVALS, 0, 0);
//! let mut routing = seed.stream(ROUTING, 0, 0);
//! let first: u64 = arrivals.random();
//!
//! // However much was drawn elsewhere, the same address starts the same stream.
//! let _: u64 = routing.random();
//! assert_eq!(seed.stream(ARRIVALS, 0, 0).random::<u64>(), first);
//! ```
//!
//! # How far the same bytes go
//!
//! The streams use integer operations alone and are the same on every machine. Samples drawn from
//! them may differ: a Poisson number or a Zipf weight takes logarithms and powers, whose last digit
//! depends on the mathematical library that the samplers were built with. So a run is repeatable
//! byte by byte with the same build on the same platform, on any number of threads. Elsewhere it
//! agrees except where that digit changes a decision.
//!
//! # How an address becomes a stream
//!
//! Seed, purpose, replication and index are 64 bits each. Together they are the 256-bit key of a
//! ChaCha8 key stream, whose first 256 bits are the starting state of xoshiro256++. The map from
//! addresses to keys is one-to-one, so two addresses never share a key; neighbouring addresses
//! (replication 1 and 2) get states as unrelated as a cipher can make them, which xoshiro's own
//! seeding by a small counter would not promise. Among k streams of L numbers each, the chance that
//! any two overlap is at most about k²·L/2²⁵⁶: 10⁻⁴¹ for 10⁹ streams of 10¹⁸ numbers.

#![cfg_attr(not(test), no_std)]

use core::fmt;
use core::num::ParseIntError;
use core::str::FromStr;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The generator behind every stream: xoshiro256++ by Blackman and Vigna (2019), period 2²⁵⁶ − 1.
pub type Stream = rand_xoshiro::Xoshiro256PlusPlus;

/// The number from which a whole run can be repeated.
///
/// The default is fixed, so that a run without a chosen seed can be repeated too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
    /// A seed chosen by the user.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The number to type to get this seed again.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The stream for `purpose` in one `replication`, at one `index` (a server, a processor, or 0
    /// where a purpose needs a single stream).
    pub fn stream(self, purpose: Purpose, replication: u64, index: u64) -> Stream {
        let mut key = [0; 32];
        for (bytes, word) in key
            .chunks_exact_mut(8)
            .zip([self.0, purpose.0, replication, index])
        {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Stream::from_rng(&mut ChaCha8Rng::from_seed(key))
    }
}

impl Default for Seed {
    fn default() -> Self {
        Self(1)
    }
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Self(seed)
    }
}

impl FromStr for Seed {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a stream is for, named by one to eight visible ASCII characters: `arrivals`, `routing` …
///
/// The name is the number (its bytes, read as an integer), so two purposes with different names
/// cannot share a stream, and no list of numbers has to be kept. The names that the simulators use
/// are constants in `filch_workload::streams`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Purpose(u64);

impl Purpose {
    /// The purpose called `name`.
    ///
    /// # Panics
    ///
    /// If `name` is empty, longer than eight bytes or has other characters; in a `const`, the
    /// compiler says so.
    pub const fn named(name: &str) -> Self {
        assert!(
            !name.is_empty() && name.len() <= 8,
            "a purpose is named by one to eight visible ASCII characters"
        );
        let bytes = name.as_bytes();
        let mut number = 0;
        let mut at = 0;
        while at < bytes.len() {
            // A final zero byte would vanish in the number, and invisible characters could not be
            // told apart.
            assert!(
                bytes[at].is_ascii_graphic(),
                "a purpose is named by one to eight visible ASCII characters"
            );
            number |= (bytes[at] as u64) << (8 * at);
            at += 1;
        }
        Self(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    const ARRIVALS: Purpose = Purpose::named("arrivals");
    const ROUTING: Purpose = Purpose::named("routing");

    fn first(stream: &mut Stream) -> [u64; 3] {
        stream.random()
    }

    /// The published figures of every report depend on these numbers: a change here is a change of
    /// all results and must be announced as one.
    #[test]
    fn streams_are_pinned() {
        let pinned = [
            (
                Seed::default().stream(ARRIVALS, 0, 0),
                [
                    11850543763104512165,
                    6355217816000150212,
                    16058729537295641739,
                ],
            ),
            (
                Seed::new(u64::MAX).stream(ROUTING, 3, 99),
                [
                    12273224468159226910,
                    7446085485223754453,
                    488949243963888585,
                ],
            ),
        ];
        for (mut stream, numbers) in pinned {
            assert_eq!(first(&mut stream), numbers);
        }
    }

    #[test]
    fn every_part_of_an_address_matters() {
        let seed = Seed::new(7);
        let streams = [
            seed.stream(ARRIVALS, 0, 0),
            seed.stream(ROUTING, 0, 0),
            seed.stream(ARRIVALS, 1, 0),
            seed.stream(ARRIVALS, 0, 1),
            Seed::new(8).stream(ARRIVALS, 0, 0),
        ];
        for (i, a) in streams.iter().enumerate() {
            for b in &streams[..i] {
                assert_ne!(first(&mut a.clone()), first(&mut b.clone()));
            }
        }
    }

    /// All 256 bits of an address count, the high ones too.
    #[test]
    fn every_bit_of_an_address_matters() {
        let start = |[seed, purpose, replication, index]: [u64; 4]| {
            first(&mut Seed(seed).stream(Purpose(purpose), replication, index))
        };
        let address = [7, ARRIVALS.0, 3, 99];
        let mut seen = std::collections::BTreeSet::from([start(address)]);
        for word in 0..4 {
            for bit in 0..64 {
                let mut other = address;
                other[word] ^= 1 << bit;
                assert!(seen.insert(start(other)), "word {word}, bit {bit}");
            }
        }
    }

    /// Neighbouring streams agree in half of their bits, as independent ones do: over 64 000 bits
    /// the count has standard deviation 126, and 5 of them is passed by chance once in 1.7 million.
    #[test]
    fn neighbours_are_unrelated() {
        let seed = Seed::new(1);
        let mut differing = 0;
        for index in 0..1000 {
            let here: u64 = seed.stream(ROUTING, 0, index).random();
            let next: u64 = seed.stream(ROUTING, 0, index + 1).random();
            differing += (here ^ next).count_ones();
        }
        assert!(
            (32_000 - 632..=32_000 + 632).contains(&differing),
            "{differing}"
        );
    }

    #[test]
    fn names_are_numbers() {
        assert_ne!(Purpose::named("a"), Purpose::named("b"));
        assert_ne!(Purpose::named("ab"), Purpose::named("ba"));
        assert_ne!(Purpose::named("a"), Purpose::named("aa"));
    }

    #[test]
    #[should_panic(expected = "one to eight visible ASCII characters")]
    fn long_names_are_refused() {
        Purpose::named("placements");
    }

    /// `a` and `a` followed by a zero byte would be the same number.
    #[test]
    fn names_are_visible() {
        for name in ["a\0", "\0", "a b", "a\n", "é", ""] {
            assert!(
                std::panic::catch_unwind(|| Purpose::named(name)).is_err(),
                "{name:?}"
            );
        }
    }

    #[test]
    fn seeds_are_typed_and_printed_alike() {
        assert_eq!("42".parse(), Ok(Seed::new(42)));
        assert_eq!(Seed::new(42).to_string(), "42");
        assert!("-1".parse::<Seed>().is_err());
    }
}
