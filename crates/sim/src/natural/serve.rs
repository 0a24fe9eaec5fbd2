//! Part 5 of Figure 1: every queue processes one job.

use super::queues::Queues;

/// Takes one job from every queue that is not empty; returns the length of the longest queue
/// afterwards.
///
/// A subtraction and a maximum without a branch, which the compiler vectorises. A queue with spare
/// jobs is served from its own four bytes, which are refilled at the end.
pub(super) fn serve(queues: &mut Queues) -> u64 {
    // Lengths stay below 2³¹, and SSE2-era vector units have signed maxima only.
    let mut longest = 0;
    for queue in &mut queues.short {
        let remaining = queue.wrapping_sub(u32::from(*queue != 0));
        *queue = remaining;
        longest = longest.max(remaining as i32);
    }
    let longest = queues.longest_with_spare().max(longest as u64);
    queues.settle();
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_one_by_one(
            lengths in prop::collection::vec(
                prop_oneof![0..4u64, 0..9u64, 0..1u64 << 34, (1u64 << 31) - 3..(1 << 31) + 3],
                1..200,
            ),
        ) {
            let mut queues = Queues::empty(lengths.len());
            for (processor, &length) in lengths.iter().enumerate() {
                queues.set(processor, length);
            }
            let longest = serve(&mut queues);
            let served: Vec<u64> = lengths.iter().map(|length| length.saturating_sub(1)).collect();
            prop_assert!(queues.lengths().eq(served.iter().copied()));
            prop_assert_eq!(longest, *served.iter().max().unwrap());
        }
    }
}
