//! Step 3 of a slot, the innermost loop of the farm.

/// Servers are served so many at a time. Queues and capacities are padded to a multiple of it with
/// servers that never get a job, so that there is no remainder to treat apart.
pub(super) const LANES: usize = 16;

/// The number of servers with padding.
pub(super) fn padded(servers: usize) -> usize {
    servers.next_multiple_of(LANES)
}

/// Every server serves up to its capacity: Q ← \[Q − s\]⁺. Returns how many jobs leave.
///
/// If `LISTEN`, `fell` is 255 for the servers that had jobs and have none left and 0 for all others;
/// if `TRACK`, `left` is how many jobs leave each server. What is not asked for is not written.
///
/// All numbers are below 2³¹ ([`MOST_JOBS`](super::MOST_JOBS), and capacities are cut there, which
/// serves the same jobs), because comparing *signed* numbers is one instruction in the x86-64 that
/// every machine has and comparing unsigned ones is three. No more jobs leave than there were, so
/// their sum fits too. One loop without a branch over slices of one length, in a function of its own
/// so that the compiler knows that they do not overlap: it serves four servers to a 128-bit register.
#[inline(never)]
pub(super) fn serve<const LISTEN: bool, const TRACK: bool>(
    queues: &mut [u32],
    capacities: &[u32],
    fell: &mut [u8],
    left: &mut [u32],
) -> u32 {
    let lanes = queues.len() / LANES * LANES;
    let (queues, capacities) = (&mut queues[..lanes], &capacities[..lanes]);
    let (fell, left) = (&mut fell[..lanes], &mut left[..lanes]);
    let mut sum = 0;
    for server in 0..lanes {
        let (queue, capacity) = (queues[server] as i32, capacities[server] as i32);
        let served = if queue < capacity { queue } else { capacity };
        let rest = queue.wrapping_sub(served);
        queues[server] = rest as u32;
        sum = served.wrapping_add(sum);
        if LISTEN {
            // As a mask, which is what comparing gives.
            let idle = (queue > 0) & (queue <= capacity);
            fell[server] = if idle { u8::MAX } else { 0 };
        }
        if TRACK {
            left[server] = served as u32;
        }
    }
    sum as u32
}

/// The places where `fell` is not 0, eight at a time.
#[inline]
pub(super) fn each_set(fell: &[u8], mut found: impl FnMut(usize)) {
    for (at, eight) in fell.as_chunks::<8>().0.iter().enumerate() {
        let mut word = u64::from_le_bytes(*eight) & 0x0101_0101_0101_0101;
        while word != 0 {
            found(8 * at + word.trailing_zeros() as usize / 8);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_written_in_equation_4(servers in prop::collection::vec(
            (prop_oneof![0..5u32, 0..=i32::MAX as u32 / 64], prop_oneof![1..5u32, 1..=i32::MAX as u32]),
            1..60,
        )) {
            let lanes = padded(servers.len());
            let mut queues: Vec<u32> = servers.iter().map(|server| server.0).collect();
            let mut capacities: Vec<u32> = servers.iter().map(|server| server.1).collect();
            queues.resize(lanes, 0);
            capacities.resize(lanes, 0);
            let (mut fell, mut left) = (vec![9; lanes], vec![9; lanes]);
            let sum = serve::<true, true>(&mut queues, &capacities, &mut fell, &mut left);
            let mut idle = Vec::new();
            each_set(&fell, |server| idle.push(server));

            let mut expected = Vec::new();
            for (server, &(queue, capacity)) in servers.iter().enumerate() {
                prop_assert_eq!(queues[server], queue.saturating_sub(capacity));
                prop_assert_eq!(left[server], queue.min(capacity));
                if queue > 0 && queue <= capacity {
                    expected.push(server);
                }
            }
            prop_assert_eq!(idle, expected);
            prop_assert_eq!(sum, servers.iter().map(|server| server.0.min(server.1)).sum::<u32>());
        }
    }
}
