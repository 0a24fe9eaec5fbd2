//! Water-filling: spreading a batch so that queues become as even as possible (PI section 4).

use rand::Rng;

use super::sets::SubsetDraw;

/// Pours `jobs` into queues of lengths `queues`. Writes to `given` how many each of them gets, and
/// returns how many get any.
///
/// The water rises to a level L: the largest for which Σ max(0, L − qᵢ) ≤ jobs. Every queue below
/// is filled up to L. The remaining jobs, fewer than there are queues at L by then, go one each to
/// some of those queues, chosen uniformly by `subset`. PI's example: queues 1, 2, 4 and 3 jobs
/// become 3, 3, 4.
#[inline]
pub(super) fn water_fill<R: Rng + ?Sized>(
    queues: &[u32],
    jobs: u32,
    rng: &mut R,
    subset: &mut SubsetDraw,
    given: &mut [u32],
) -> usize {
    let (sum, any) = queues.iter().fold((0u32, 0u32), |(sum, any), &queue| {
        (sum.wrapping_add(queue), any | queue)
    });
    // No queue is longer than `any`, which has all their bits.
    if u64::from(any) * queues.len() as u64 + u64::from(jobs) <= i32::MAX as u64 {
        let Surface { level, spent } = low_surface(queues, jobs as i32, sum as i32);
        let remaining = jobs as usize - spent as usize;
        subset.draw_where(queues, |queue| queue as i32 <= level, remaining, rng);
        let depth = |queue: u32| {
            let depth = level.wrapping_sub(queue as i32);
            if depth > 0 { depth as u32 } else { 0 }
        };
        pour(queues, depth, subset, given)
    } else {
        let Surface { level, spent } = high_surface(queues, jobs);
        let remaining = (u64::from(jobs) - spent) as usize;
        subset.draw_where(queues, |queue| u64::from(queue) <= level, remaining, rng);
        let depth = |queue: u32| level.saturating_sub(queue.into()) as u32;
        pour(queues, depth, subset, given)
    }
}

/// Each queue gets what it lacks below the surface, and one job more if it was chosen.
#[inline]
fn pour(
    queues: &[u32],
    depth: impl Fn(u32) -> u32,
    subset: &mut SubsetDraw,
    given: &mut [u32],
) -> usize {
    let mut recipients = 0u32;
    for ((given, &queue), &one) in given.iter_mut().zip(queues).zip(subset.ones()) {
        *given = depth(queue).wrapping_add(one.into());
        recipients = recipients.wrapping_add(u32::from(*given != 0));
    }
    recipients as usize
}

/// Where the water stands.
#[derive(Debug, PartialEq)]
struct Surface<T> {
    /// The largest L with Σ max(0, L − qᵢ) ≤ jobs.
    level: T,
    /// That sum.
    spent: T,
}

/// Over any set S of queues, Σ_S (L − qᵢ) ≤ Σ max(0, L − qᵢ), so L ≤ (jobs + Σ_S qᵢ) / |S|.
/// Starting with all queues and keeping those below the bound, the bound falls until it is exact:
/// mostly in two or three passes, each of which vectorises.
///
/// While all jobs together are fewer than 2³¹, so is every intermediate number, and the passes use
/// signed numbers of 32 bits: SSE2, which every x86-64 has, compares four of them in one
/// instruction but has no such comparison for unsigned numbers of 64 bits.
fn low_surface(queues: &[u32], jobs: i32, waiting: i32) -> Surface<i32> {
    let mut level = (waiting + jobs) / queues.len() as i32;
    loop {
        let (mut sum, mut count) = (0i32, 0i32);
        for &queue in queues {
            let below = (queue as i32) < level;
            sum = sum.wrapping_add(if below { queue as i32 } else { 0 });
            count = count.wrapping_add(i32::from(below));
        }
        if count == 0 || (sum + jobs) / count >= level {
            let spent = count * level - sum;
            return Surface { level, spent };
        }
        level = (sum + jobs) / count;
    }
}

fn high_surface(queues: &[u32], jobs: u32) -> Surface<u64> {
    let mut level = u64::MAX;
    loop {
        let below = queues.iter().map(|&queue| u64::from(queue));
        let below = below.filter(|&queue| queue < level);
        let (sum, count) = below.fold((0, 0), |(sum, count), queue| (sum + queue, count + 1));
        if count == 0 || (sum + u64::from(jobs)) / count >= level {
            let spent = count * level - sum;
            return Surface { level, spent };
        }
        level = (sum + u64::from(jobs)) / count;
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
        let mut subset = SubsetDraw::over(queues.len());
        let mut given = vec![9; queues.len()];
        let recipients = water_fill(queues, jobs, &mut rng, &mut subset, &mut given);
        assert_eq!(recipients, given.iter().filter(|&&jobs| jobs > 0).count());
        for (after, jobs) in after.iter_mut().zip(given) {
            *after += jobs;
        }
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

    /// How often each of the queues gets one of the remaining jobs.
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
            let mut subset = SubsetDraw::over(queues.len());
            for _ in 0..ROUNDS {
                let mut got = vec![0; queues.len()];
                water_fill(&queues, left, &mut rng, &mut subset, &mut got);
                assert_eq!(got.iter().sum::<u32>(), left);
                // Those with a job, or those without, whichever are fewer.
                let counted = u32::from(left <= candidates / 2);
                for (count, &jobs) in counts.iter_mut().zip(&got) {
                    *count += u64::from(jobs == counted);
                }
            }
            // Under the null hypothesis the counts vary less than for independent draws, so the
            // p-value errs on the safe side; of seven, none below 10⁻⁴.
            let p = filch_stats::chi_square_uniform(&counts).expect("large counts");
            assert!(p > 1e-4, "{candidates}, {left}: {p}");
        }
    }

    proptest! {
        /// Both ways to find the surface agree.
        #[test]
        fn the_surface_is_found_either_way(
            queues in prop::collection::vec(prop_oneof![0..9u32, 0..9_999_999u32], 1..40),
            jobs in prop_oneof![0..200u32, 0..9_999_999u32],
        ) {
            let waiting: u32 = queues.iter().sum();
            let low = low_surface(&queues, jobs as i32, waiting as i32);
            let high = high_surface(&queues, jobs);
            prop_assert_eq!((low.level as u64, low.spent as u64), (high.level, high.spent));
        }

        /// The result is the one that placing jobs one by one on a shortest queue gives, up to
        /// ties.
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
