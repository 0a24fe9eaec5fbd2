//! Water-filling: spreading a batch so that the queues end up as even as they can be (PI section 4).

use rand::{Rng, RngExt};

/// Pours `jobs` into queues of lengths `queues`; `give(at, jobs)` is called for each queue that gets
/// some, in order.
///
/// The water rises to a level L: the largest for which Σ max(0, L − qᵢ) ≤ jobs. Every queue below is
/// filled up to L; the jobs that are left, fewer than there are queues at L by then, go one each to
/// some of those queues, chosen uniformly. PI's example: queues 1, 2, 4 and 3 jobs become 3, 3, 4.
pub(super) fn water_fill<R: Rng + ?Sized>(
    queues: &[u32],
    jobs: u32,
    rng: &mut R,
    mut give: impl FnMut(usize, u32),
) {
    let Surface {
        level,
        spent,
        candidates,
    } = surface(queues, jobs);
    let left = (u64::from(jobs) - spent) as u32;
    let mut chosen = Chosen::among(candidates, left, rng);
    let mut depths = [0; AT_A_TIME];
    for (at, queues) in queues.chunks(AT_A_TIME).enumerate() {
        let depths = &mut depths[..queues.len()];
        for (depth, &queue) in depths.iter_mut().zip(queues) {
            *depth = level as i64 - i64::from(queue);
        }
        chosen.add_to(depths, rng);
        for (place, &depth) in depths.iter().enumerate() {
            if depth > 0 {
                give(AT_A_TIME * at + place, depth as u32);
            }
        }
    }
}

/// So many queues are treated at a time, in one loop for each thing to do: it keeps what it needs in
/// registers.
const AT_A_TIME: usize = 64;

/// Which of the candidates, the queues that lie at a depth of 0 or more below the surface, get one of the
/// jobs that are left.
enum Chosen {
    Few(FewChosen),
    Many(ManyCandidates),
}

impl Chosen {
    fn among<R: Rng + ?Sized>(candidates: u32, left: u32, rng: &mut R) -> Self {
        if candidates <= FewChosen::MOST {
            Self::Few(FewChosen::draw(candidates, left, rng))
        } else {
            Self::Many(ManyCandidates { candidates, left })
        }
    }

    /// Adds their jobs to the candidates among the next queues.
    fn add_to<R: Rng + ?Sized>(&mut self, depths: &mut [i64], rng: &mut R) {
        match self {
            Self::Few(chosen) => chosen.add_to(depths),
            Self::Many(chosen) => chosen.add_to(depths, rng),
        }
    }
}

/// A bit for each candidate, drawn beforehand by Floyd's method (Bentley and Floyd, 1987): as many numbers
/// as there are jobs left, or candidates without one if those are fewer.
struct FewChosen {
    gets: [u64; FewChosen::WORDS],
    /// The candidates that have been passed.
    passed: usize,
}

impl FewChosen {
    const WORDS: usize = 8;
    const MOST: u32 = 64 * Self::WORDS as u32;

    fn draw<R: Rng + ?Sized>(candidates: u32, left: u32, rng: &mut R) -> Self {
        let inverted = left > candidates / 2;
        let drawn = if inverted { candidates - left } else { left };
        let mut gets = [0u64; Self::WORDS];
        for last in candidates - drawn..candidates {
            let other = rng.random_range(0..=last);
            let is_taken = gets[other as usize / 64] >> (other % 64) & 1 == 1;
            let number = if is_taken { last } else { other };
            gets[number as usize / 64] |= 1 << (number % 64);
        }
        if inverted {
            gets.iter_mut().for_each(|word| *word = !*word);
        }
        Self { gets, passed: 0 }
    }

    fn add_to(&mut self, depths: &mut [i64]) {
        for depth in depths {
            let is_candidate = *depth >= 0;
            // Past the last candidate there are none: the bit is not used then.
            let word = self.gets[self.passed / 64 % Self::WORDS];
            let gets = word >> (self.passed % 64) & u64::from(is_candidate);
            *depth += gets as i64;
            self.passed += usize::from(is_candidate);
        }
    }
}

/// Selection sampling (Fan, Muller and Rezucha, 1962): each of the remaining candidates gets one of the
/// remaining jobs with the same probability. What is drawn is added, not asked: whether a queue gets
/// the job is a coin toss, and a processor would guess every other one wrong.
struct ManyCandidates {
    candidates: u32,
    left: u32,
}

impl ManyCandidates {
    fn add_to<R: Rng + ?Sized>(&mut self, depths: &mut [i64], rng: &mut R) {
        for depth in depths {
            if *depth >= 0 {
                // Neither none nor one for each is left.
                let gets = if self.left > 0 && self.left < self.candidates {
                    rng.random_range(0..self.candidates) < self.left
                } else {
                    self.left > 0
                };
                *depth += i64::from(gets);
                self.left -= u32::from(gets);
                self.candidates = self.candidates.wrapping_sub(1);
            }
        }
    }
}

/// Where the water stands.
struct Surface {
    /// The largest L with Σ max(0, L − qᵢ) ≤ jobs.
    level: u64,
    /// That sum.
    spent: u64,
    /// How many queues are not above L.
    candidates: u32,
}

/// Over any set S of queues, Σ_S (L − qᵢ) ≤ Σ max(0, L − qᵢ), so L ≤ (jobs + Σ_S qᵢ) / |S|. Starting
/// with all queues and keeping those below the bound, the bound falls until it is exact: mostly in
/// two or three passes, each of which vectorises.
///
/// As long as all jobs together are fewer than 2³¹, so is every number on the way, and the passes are
/// made with signed numbers of 32 bits: every x86-64 compares four of them at a time, but no two
/// unsigned ones of 64 bits.
fn surface(queues: &[u32], jobs: u32) -> Surface {
    let waiting: u64 = queues.iter().map(|&queue| u64::from(queue)).sum();
    if waiting + u64::from(jobs) <= i32::MAX as u64 {
        low_surface(queues, jobs as i32, waiting as i32)
    } else {
        high_surface(queues, jobs)
    }
}

fn low_surface(queues: &[u32], jobs: i32, waiting: i32) -> Surface {
    let mut level = (waiting + jobs) / queues.len() as i32;
    loop {
        let (mut sum, mut count) = (0i32, 0i32);
        for &queue in queues {
            let below = (queue as i32) < level;
            sum = sum.wrapping_add(if below { queue as i32 } else { 0 });
            count = count.wrapping_add(i32::from(below));
        }
        if count == 0 || (sum + jobs) / count >= level {
            break;
        }
        level = (sum + jobs) / count;
    }
    let (mut spent, mut candidates) = (0i32, 0i32);
    for &queue in queues {
        let depth = level.wrapping_sub(queue as i32);
        spent = spent.wrapping_add(if depth > 0 { depth } else { 0 });
        candidates = candidates.wrapping_add(i32::from(depth >= 0));
    }
    Surface {
        level: level as u64,
        spent: spent as u64,
        candidates: candidates as u32,
    }
}

fn high_surface(queues: &[u32], jobs: u32) -> Surface {
    let mut level = u64::MAX;
    loop {
        let below = queues.iter().map(|&queue| u64::from(queue));
        let below = below.filter(|&queue| queue < level);
        let (sum, count) = below.fold((0, 0), |(sum, count), queue| (sum + queue, count + 1));
        if count == 0 || (sum + u64::from(jobs)) / count >= level {
            break;
        }
        level = (sum + u64::from(jobs)) / count;
    }
    let depths = queues
        .iter()
        .filter_map(|&queue| level.checked_sub(queue.into()));
    Surface {
        level,
        spent: depths.clone().sum(),
        candidates: depths.count() as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;

    fn filled(queues: &[u32], jobs: u32, seed: u64) -> Vec<u32> {
        let mut rng = Seed::new(seed).stream(Purpose::named("test"), 0, 0);
        let mut after = queues.to_vec();
        water_fill(queues, jobs, &mut rng, |at, jobs| after[at] += jobs);
        after
    }

    #[test]
    fn example_of_section_4() {
        assert_eq!(filled(&[1, 2, 4], 3, 1), [3, 3, 4]);
    }

    #[test]
    fn large_queues_do_not_overflow() {
        assert_eq!(
            filled(&[u32::MAX - 1, u32::MAX - 5], 4, 1),
            [u32::MAX - 1; 2]
        );
        assert_eq!(filled(&[0, u32::MAX], u32::MAX, 1), [u32::MAX, u32::MAX]);
    }

    /// How often each of the queues gets one of the jobs that are left, under both ways to draw.
    #[test]
    fn every_candidate_gets_as_many() {
        const ROUNDS: u64 = 20_000;
        for (candidates, left) in [
            (7u32, 2),
            (7, 5),
            (64, 32),
            (70, 69),
            (500, 3),
            (600, 599),
            (600, 7),
        ] {
            let mut rng = Seed::new(5).stream(Purpose::named("test"), candidates.into(), 0);
            let queues = vec![4; candidates as usize];
            let mut counts = vec![0; candidates as usize];
            for _ in 0..ROUNDS {
                let mut got = vec![0; queues.len()];
                water_fill(&queues, left, &mut rng, |at, jobs| got[at] = jobs);
                assert_eq!(got.iter().sum::<u32>(), left);
                // Those with a job, or those without, whichever are fewer.
                let counted = u32::from(left <= candidates / 2);
                for (count, &jobs) in counts.iter_mut().zip(&got) {
                    *count += u64::from(jobs == counted);
                }
            }
            // Under the null hypothesis the counts vary less than for independent draws, so the p-value
            // errs on the safe side; of seven, none below 10⁻⁴.
            let p = filch_stats::chi_square_uniform(&counts).expect("large counts");
            assert!(p > 1e-4, "{candidates}, {left}: {p}");
        }
    }

    proptest! {
        /// Small numbers and large ones are counted differently and give the same.
        #[test]
        fn the_surface_is_found_either_way(
            queues in prop::collection::vec(prop_oneof![0..9u32, 0..9_999_999u32], 1..40),
            jobs in prop_oneof![0..200u32, 0..9_999_999u32],
        ) {
            let waiting: u32 = queues.iter().sum();
            let low = low_surface(&queues, jobs as i32, waiting as i32);
            let high = high_surface(&queues, jobs);
            prop_assert_eq!(low.level, high.level);
            prop_assert_eq!((low.spent, low.candidates), (high.spent, high.candidates));
        }

        /// The result is the one that placing jobs one by one on a shortest queue gives, up to ties.
        #[test]
        fn same_as_one_by_one(
            queues in prop_oneof![
                prop::collection::vec(0..20u32, 1..40),
                prop::collection::vec(0..3u32, 500..530),
            ],
            jobs in 0..200u32,
            seed: u64,
        ) {
            let mut one_by_one = queues.clone();
            for _ in 0..jobs {
                *one_by_one.iter_mut().min().unwrap() += 1;
            }
            let mut after = filled(&queues, jobs, seed);
            prop_assert!(after.iter().zip(&queues).all(|(after, before)| after >= before));
            after.sort_unstable();
            one_by_one.sort_unstable();
            prop_assert_eq!(after, one_by_one);
        }
    }
}
