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
    let level = level(queues, jobs);
    let (mut spent, mut candidates) = (0, 0);
    for &queue in queues {
        spent += level.saturating_sub(queue.into());
        candidates += u32::from(u64::from(queue) <= level);
    }
    let mut left = (u64::from(jobs) - spent) as u32;
    // Selection sampling (Fan, Muller and Rezucha, 1962): each of the remaining candidates gets one
    // of the remaining jobs with the same probability.
    for (at, &queue) in queues.iter().enumerate() {
        let below = level.saturating_sub(queue.into()) as u32;
        if u64::from(queue) > level {
            continue;
        }
        let extra = left > 0 && (left == candidates || rng.random_range(0..candidates) < left);
        candidates -= 1;
        left -= u32::from(extra);
        if below > 0 || extra {
            give(at, below + u32::from(extra));
        }
    }
}

/// The largest L with Σ max(0, L − qᵢ) ≤ jobs.
///
/// Over any set S of queues, Σ_S (L − qᵢ) ≤ Σ max(0, L − qᵢ), so L ≤ (jobs + Σ_S qᵢ) / |S|. Starting
/// with all queues and keeping those below the bound, the bound falls until it is exact: mostly in
/// two or three passes, each of which vectorises.
fn level(queues: &[u32], jobs: u32) -> u64 {
    let mut level = u64::MAX;
    loop {
        let (mut sum, mut count) = (0, 0);
        for &queue in queues {
            let below = u64::from(queue) < level;
            sum += if below { u64::from(queue) } else { 0 };
            count += u64::from(below);
        }
        if count == 0 {
            return level;
        }
        let bound = (sum + u64::from(jobs)) / count;
        if bound >= level {
            return level;
        }
        level = bound;
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

    proptest! {
        /// The result is the one that placing jobs one by one on a shortest queue gives, up to ties.
        #[test]
        fn same_as_one_by_one(
            queues in prop::collection::vec(0..20u32, 1..40),
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
