//! Part 5 of Figure 1: every queue processes one job.

use super::queues::Queues;

/// Takes one job from every queue that is not empty; returns the length of the longest queue
/// afterwards.
pub(super) fn serve(queues: &mut Queues) -> u64 {
    let longest = serve_short(&mut queues.short);
    end_of_step(queues, longest)
}

/// Takes one job from the four bytes of every queue that is not empty; returns the most that is in
/// any of them afterwards.
///
/// A subtraction and a maximum without a branch, which the compiler vectorises.
pub(super) fn serve_short(block: &mut [u32]) -> u32 {
    // Lengths stay below 2³¹, and SSE2-era vector units have signed maxima only.
    let mut longest = 0;
    for queue in block {
        let remaining = queue.wrapping_sub(u32::from(*queue != 0));
        *queue = remaining;
        longest = longest.max(remaining as i32);
    }
    longest as u32
}

/// Refills the four bytes of each queue with spare jobs. `longest` is the most in any four bytes
/// before; returns the length of the longest queue.
pub(super) fn end_of_step(queues: &mut Queues, longest: u32) -> u64 {
    let longest = queues.longest_with_spare().max(longest.into());
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
