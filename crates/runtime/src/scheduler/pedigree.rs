//! Random numbers by the place of a task in the fork tree.
//!
//! A place is the sequence of *ranks* on the way from the root to it: the task is the j-th of what
//! its parent has handed out, which is the i-th of what its own parent has handed out, and so on.
//! Leiserson, Schardl and Sukha call it the pedigree ("Deterministic parallel random-number
//! generation for dynamic-multithreading platforms", PPoPP 2012), and compress it as here.
//!
//! The digest of the ranks j₁, j₂, … is γ₁·j₁ + γ₂·j₂ + … modulo the prime p = 2⁶¹ − 1, twice, with
//! coefficients γ that are drawn from the seed. Two different places have different ranks at some
//! level d (a level that only one of them has counts as rank 0, and ranks begin with 1). If all
//! other coefficients are given, at most one value of γ_d makes their digests equal: for
//! coefficients drawn at random that has probability 1/p, and 1/p² for both digests. Among k
//! streams, a pair with equal digests has a probability of at most k²/2¹²³: 10⁻¹⁹ for 10⁹ of them.

use core::fmt;

use filch_random::{Purpose, Seed, Stream};

const PURPOSE: Purpose = Purpose::named("pedigree");

/// 2⁶¹ − 1, a prime.
const PRIME: u64 = (1 << 61) - 1;

/// The place of a task in the fork tree, and where its random numbers come from.
///
/// A program that draws at random and forks gives the same result on any number of workers if each
/// task draws from a stream of its own, found by what the task is and not by which worker runs it
/// or when. A pedigree is handed down explicitly, from a task to what it forks. So programs without
/// one pay nothing.
///
/// ```
/// use filch::Pedigree;
/// use rand::RngExt;
///
/// /// Counts random points of the unit square within the circle.
/// fn inside(points: u32, mut place: Pedigree) -> u32 {
///     if points > 1000 {
///         let (left, right) = place.join(
///             |place| inside(points / 2, place),
///             |place| inside(points - points / 2, place),
///         );
///         return left + right;
///     }
///     let mut numbers = place.stream();
///     let mut hit = || numbers.random::<f64>().powi(2) + numbers.random::<f64>().powi(2) < 1.0;
///     (0..points).map(|_| u32::from(hit())).sum()
/// }
///
/// let on = |workers| {
///     let pool = filch::Pool::new(workers)?;
///     Ok::<_, filch::BuildError>(pool.install(|| inside(100_000, Pedigree::new(1))))
/// };
/// assert_eq!(on(1)?, on(3)?);
/// # Ok::<(), filch::BuildError>(())
/// ```
pub struct Pedigree {
    seed: u64,
    /// How many ranks the place has.
    depth: u64,
    /// Of these ranks.
    digest: [u64; 2],
    /// The coefficients of the next rank.
    coefficients: [u64; 2],
    /// How many ranks were handed out here.
    handed_out: u64,
}

impl Pedigree {
    /// The root of a fork tree. The same seed gives the same streams at the same places.
    pub fn new(seed: u64) -> Self {
        Self::at(seed, 0, [0; 2])
    }

    fn at(seed: u64, depth: u64, digest: [u64; 2]) -> Self {
        Self {
            seed,
            depth,
            digest,
            coefficients: coefficients(seed, depth),
            handed_out: 0,
        }
    }

    /// The place of the next thing that this task hands on: for a child of a scope, or a job.
    ///
    /// ```
    /// use rand::RngExt;
    ///
    /// let draw = || {
    ///     let mut place = filch::Pedigree::new(7);
    ///     let mut drawn = [0; 3];
    ///     filch::scope(|s| {
    ///         for drawn in &mut drawn {
    ///             let mut place = place.child();
    ///             s.spawn(move |_| *drawn = place.stream().random::<u32>());
    ///         }
    ///     });
    ///     drawn
    /// };
    /// assert_eq!(draw(), draw());
    /// ```
    #[must_use]
    pub fn child(&mut self) -> Self {
        let digest = self.next_digest();
        Self::at(self.seed, self.depth + 1, digest)
    }

    /// A stream of random numbers for this task. Each call returns another one.
    pub fn stream(&mut self) -> Stream {
        let [one, other] = self.next_digest();
        Seed::new(self.seed).stream(PURPOSE, one, other)
    }

    /// [`join`](crate::join), with a place for each closure.
    ///
    /// # Panics
    ///
    /// As [`join`](crate::join).
    #[inline]
    pub fn join<A, B, RA, RB>(&mut self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(Self) -> RA + Send,
        B: FnOnce(Self) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        let (left, right) = (self.child(), self.child());
        crate::join(|| a(left), || b(right))
    }

    /// The digest of the next rank that is handed out. The first is 1.
    fn next_digest(&mut self) -> [u64; 2] {
        self.handed_out += 1;
        let term = |index: usize| {
            let product = u128::from(self.coefficients[index]) * u128::from(self.handed_out);
            remainder(product + u128::from(self.digest[index]))
        };
        [term(0), term(1)]
    }
}

/// Modulo [`PRIME`], of less than 2¹²⁵: 2⁶¹ is 1 there, so the upper bits are added to the lower.
fn remainder(number: u128) -> u64 {
    let prime = u128::from(PRIME);
    let once = (number & prime) + (number >> 61);
    let twice = ((once & prime) + (once >> 61)) as u64;
    if twice >= PRIME { twice - PRIME } else { twice }
}

fn coefficients(seed: u64, depth: u64) -> [u64; 2] {
    let start = split_mix(seed).wrapping_add(2 * depth);
    [start, start.wrapping_add(1)].map(|number| split_mix(number) & PRIME)
}

/// The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), a bijection.
fn split_mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl fmt::Debug for Pedigree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pedigree")
            .field("seed", &self.seed)
            .field("depth", &self.depth)
            .field("handed_out", &self.handed_out)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use std::collections::HashSet;

    use rand::RngExt;

    use super::*;

    /// The digest by the definition: all ranks, and remainders by division.
    fn by_definition(seed: u64, ranks: &[u64]) -> [u64; 2] {
        [0, 1].map(|index| {
            let terms = (0..).zip(ranks).map(|(depth, rank)| {
                let coefficient = coefficients(seed, depth)[index];
                u128::from(coefficient) * u128::from(*rank) % u128::from(PRIME)
            });
            (terms.sum::<u128>() % u128::from(PRIME)) as u64
        })
    }

    /// All places of a tree of some depth, with their ranks.
    fn walk(place: &mut Pedigree, ranks: &mut Vec<u64>, each: &mut impl FnMut([u64; 2], &[u64])) {
        each(place.digest, ranks);
        if ranks.len() == 6 {
            return;
        }
        for rank in 1..=5 {
            let mut child = place.child();
            ranks.push(rank);
            walk(&mut child, ranks, each);
            ranks.pop();
        }
    }

    #[test]
    fn digests_are_those_of_the_definition_and_all_different() {
        for seed in [0, 1, u64::MAX] {
            let mut seen = HashSet::new();
            walk(
                &mut Pedigree::new(seed),
                &mut Vec::new(),
                &mut |digest, ranks| {
                    assert_eq!(digest, by_definition(seed, ranks), "{ranks:?}");
                    assert!(seen.insert(digest), "{ranks:?}");
                },
            );
            assert_eq!(seen.len(), (0..=6).map(|depth| 5usize.pow(depth)).sum());
        }
    }

    #[test]
    fn remainders() {
        let prime = u128::from(PRIME);
        for number in [
            0,
            1,
            prime - 1,
            prime,
            prime + 1,
            2 * prime,
            prime * prime,
            prime << 63,
        ] {
            for number in [number, number.saturating_sub(1), number + 7] {
                assert_eq!(u128::from(remainder(number)), number % prime, "{number}");
            }
        }
    }

    /// Far down and far to the right: nothing overflows.
    #[test]
    fn deep_and_wide() {
        let mut place = Pedigree::new(3);
        let mut ranks = vec![1; 10_000];
        for _ in &ranks {
            place = place.child();
        }
        assert_eq!(place.digest, by_definition(3, &ranks));
        place.handed_out = u64::MAX - 1;
        ranks.push(u64::MAX);
        assert_eq!(place.next_digest(), by_definition(3, &ranks));
    }

    /// Results of users depend on these numbers.
    #[test]
    fn streams_are_pinned() {
        let mut root = Pedigree::new(1);
        let numbers: [u64; 3] = [
            root.stream().random(),
            root.child().stream().random(),
            root.child().child().stream().random(),
        ];
        assert_eq!(
            numbers,
            [
                3678028068084783886,
                16997645133328529934,
                12628760197632708007
            ]
        );
    }

    /// Streams of neighbouring places agree in half of their bits, as independent ones do: over
    /// 64,000 bits the count has standard deviation 126, and 5 of them is passed by chance once in
    /// 1.7 million.
    #[test]
    fn neighbours_are_unrelated() {
        let mut place = Pedigree::new(1);
        let mut differing = 0;
        let mut before: u64 = place.stream().random();
        for index in 0..1000 {
            let mut next = if index % 2 == 0 {
                place.child().stream()
            } else {
                place.stream()
            };
            let next: u64 = next.random();
            differing += (before ^ next).count_ones();
            before = next;
        }
        assert!(
            (32_000 - 632..=32_000 + 632).contains(&differing),
            "{differing}"
        );
    }
}
