//! Step 3 of a slot, the innermost loop of the farm.

/// The number of servers that are treated at a time. Queues and capacities are padded to a multiple
/// of it with servers that never get a job, so that there is no remainder.
pub(super) const LANES: usize = 16;

/// The number of servers with padding.
pub(super) fn padded(servers: usize) -> usize {
    servers.next_multiple_of(LANES)
}

/// The input of one slot for all servers, and its results.
pub(super) struct Slot<'a> {
    /// Q(t−1), and Q(t) afterwards.
    pub(super) queues: &'a mut [u32],
    /// s(t).
    pub(super) capacities: &'a [u32],
    /// a(t), if `ARRIVE`; otherwise the queues have it already.
    pub(super) arriving: &'a [u32],
    /// If `LISTEN`, 255 for the servers that had jobs and have none left, 0 for all others.
    pub(super) fell: &'a mut [u8],
    /// If `TRACK`, how many jobs depart from each server.
    pub(super) departed: &'a mut [u32],
}

/// Every server serves up to its capacity: Q ← \[Q + a − s\]⁺. Returns how many jobs wait then.
/// What the parameters switch off is neither read nor written.
///
/// All numbers are below 2³¹ ([`MOST_JOBS`](super::MOST_JOBS); capacities are cut there, which
/// serves the same jobs), because SSE2, which every x86-64 has, compares *signed* numbers in one
/// instruction and unsigned ones in three. The loop has no branch and runs over slices of one
/// length. It is in a function of its own, so that the compiler knows that the slices do not
/// overlap. It serves four servers to a 128-bit register.
#[inline(never)]
pub(super) fn serve<const ARRIVE: bool, const LISTEN: bool, const TRACK: bool>(
    slot: Slot<'_>,
) -> u32 {
    let lanes = slot.queues.len() / LANES * LANES;
    let (queues, capacities) = (&mut slot.queues[..lanes], &slot.capacities[..lanes]);
    let arriving = if ARRIVE {
        &slot.arriving[..lanes]
    } else {
        capacities
    };
    let (fell, departed) = (&mut slot.fell[..lanes], &mut slot.departed[..lanes]);
    let mut waiting = 0i32;
    for server in 0..lanes {
        let mut queue = queues[server] as i32;
        if ARRIVE {
            queue = queue.wrapping_add(arriving[server] as i32);
        }
        let difference = queue.wrapping_sub(capacities[server] as i32);
        let rest = if difference > 0 { difference } else { 0 };
        queues[server] = rest as u32;
        waiting = waiting.wrapping_add(rest);
        if LISTEN {
            // As a mask, which is what a vector comparison gives.
            let idle = (queue > 0) & (difference <= 0);
            fell[server] = if idle { u8::MAX } else { 0 };
        }
        if TRACK {
            departed[server] = queue.wrapping_sub(rest) as u32;
        }
    }
    waiting as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_written_in_equation_4(servers in prop::collection::vec(
            (
                prop_oneof![0..5u32, 0..=i32::MAX as u32 / 128],
                prop_oneof![Just(0), 0..5u32, 0..=i32::MAX as u32 / 128],
                prop_oneof![1..5u32, 1..=i32::MAX as u32],
            ),
            1..60,
        )) {
            let lanes = padded(servers.len());
            let number = |number: fn(&(u32, u32, u32)) -> u32| {
                let mut numbers: Vec<u32> = servers.iter().map(number).collect();
                numbers.resize(lanes, 0);
                numbers
            };
            let (before, arriving, capacities) = (number(|it| it.0), number(|it| it.1), number(|it| it.2));
            let found: Vec<u32> = before.iter().zip(&arriving).map(|(queue, more)| queue + more).collect();
            for arrive in [false, true] {
                let mut queues = if arrive { before.clone() } else { found.clone() };
                let (mut fell, mut departed) = (vec![9; lanes], vec![9; lanes]);
                let slot = Slot {
                    queues: &mut queues,
                    capacities: &capacities,
                    arriving: &arriving,
                    fell: &mut fell,
                    departed: &mut departed,
                };
                let waiting = if arrive {
                    serve::<true, true, true>(slot)
                } else {
                    serve::<false, true, true>(slot)
                };
                for server in 0..lanes {
                    let (queue, capacity) = (found[server], capacities[server]);
                    prop_assert_eq!(queues[server], queue.saturating_sub(capacity));
                    prop_assert_eq!(departed[server], queue.min(capacity));
                    let idle = queue > 0 && queue <= capacity;
                    prop_assert_eq!(fell[server], if idle { 255 } else { 0 });
                }
                prop_assert_eq!(waiting, queues.iter().sum::<u32>());
            }
        }
    }
}
