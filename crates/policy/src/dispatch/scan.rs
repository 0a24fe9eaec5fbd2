//! Finding a smallest value among many, ties at random.

use rand::{Rng, RngExt};

/// How many running minima are kept side by side: enough to fill vector registers. The order of the
/// comparisons is then fixed in the source, so the compiler may vectorise them for floats too.
const LANES: usize = 16;

/// The place of a smallest of `values`, uniform among equals. Three passes that vectorise: find the
/// minimum, count it, find the chosen one of the equals.
pub(super) fn argmin<T, R>(values: &[T], rng: &mut R) -> usize
where
    T: Copy + PartialOrd,
    R: Rng + ?Sized,
{
    if values.len() < LANES {
        return argmin_of_few(values, rng);
    }
    let least = min(values);
    one_of_equals(values, least, count(values, least), rng)
}

/// The place of a shortest of `queues`, uniform among equals: what [`argmin`] finds, in one pass
/// fewer if a server is idle, because no queue is shorter than 0.
pub(super) fn shortest<R: Rng + ?Sized>(queues: &[u32], rng: &mut R) -> usize {
    match count(queues, 0) {
        0 => argmin(queues, rng),
        idle => one_of_equals(queues, 0, idle, rng),
    }
}

fn count<T: Copy + PartialOrd>(values: &[T], value: T) -> u32 {
    values.iter().map(|&other| u32::from(other == value)).sum()
}

/// The place of one of the `ties` values that are `least`.
fn one_of_equals<T, R>(values: &[T], least: T, ties: u32, rng: &mut R) -> usize
where
    T: Copy + PartialOrd,
    R: Rng + ?Sized,
{
    let mut skip = if ties > 1 {
        rng.random_range(0..ties)
    } else {
        0
    };
    // Skip whole blocks that end before the chosen one. Within its block there is no branch: its
    // place is random, so a branch would be mispredicted.
    let mut start = 0;
    for block in values.chunks(LANES) {
        let ties = count(block, least);
        if skip < ties {
            let (mut place, mut seen) = (start, 0);
            for &value in block {
                seen += u32::from(value == least);
                place += usize::from(seen <= skip);
            }
            return place;
        }
        skip -= ties;
        start += LANES;
    }
    unreachable!("so many are equal")
}

/// The same for a few values, in one pass and a search.
fn argmin_of_few<T, R>(values: &[T], rng: &mut R) -> usize
where
    T: Copy + PartialOrd,
    R: Rng + ?Sized,
{
    let (mut first, mut ties) = (0, 1);
    for at in 1..values.len() {
        if values[at] < values[first] {
            (first, ties) = (at, 1u32);
        } else if values[at] == values[first] {
            ties += 1;
        }
    }
    if ties == 1 {
        return first;
    }
    let least = values[first];
    let mut equals = (first..values.len()).filter(|&at| values[at] == least);
    let chosen = rng.random_range(0..ties) as usize;
    equals.nth(chosen).expect("so many are equal")
}

fn min<T: Copy + PartialOrd>(values: &[T]) -> T {
    let smaller = |a: T, b: T| if b < a { b } else { a };
    let mut lanes = [values[0]; LANES];
    let mut blocks = values.chunks_exact(LANES);
    for block in &mut blocks {
        for (lane, &value) in lanes.iter_mut().zip(block) {
            *lane = smaller(*lane, value);
        }
    }
    let rest = blocks.remainder().iter().copied();
    lanes.into_iter().chain(rest).fold(values[0], smaller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_a_minimum(values in prop::collection::vec(0..9u32, 1..80), seed: u64) {
            let mut rng = Seed::new(seed).stream(Purpose::named("test"), 0, 0);
            let mut again = rng.clone();
            let at = argmin(&values, &mut rng);
            prop_assert_eq!(values[at], *values.iter().min().unwrap());
            prop_assert_eq!(shortest(&values, &mut again), at);
            prop_assert_eq!(&again, &rng);
            let halves: Vec<f64> = values.iter().map(|&value| f64::from(value) / 2.0).collect();
            let at = argmin(&halves, &mut rng);
            prop_assert_eq!(values[at], *values.iter().min().unwrap());
        }
    }
}
