use std::collections::VecDeque;

use super::completions::Served;
use super::service::{LANES, padded};
use super::waits::Waits;

/// The most pairs (slot of arrival, jobs that remain) that a run keeps behind the first pair of
/// each queue: 2 MiB of them and 1 KiB for each server.
///
/// A stable farm stays far below. Beyond it, the pairs would no longer fit into a processor's cache
/// and would take most of the time.
pub const fn most_entries(servers: usize) -> usize {
    (1 << 18) + 128 * servers
}

/// The arrival slot of jobs that are not timed. A run has fewer slots
/// ([`Length::MOST_SLOTS`](super::Length::MOST_SLOTS)), so the difference of any slot and this,
/// modulo 2³², is at least 2³¹: by that, such jobs are recognised.
const UNTIMED: u32 = 1 << 31;

/// The queues of a run as sub-batches in order.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// When the first sub-batch of each server arrived, and padding.
    arrived: Vec<u32>,
    /// How many of its jobs remain; 0 if the server is idle.
    first: Vec<u32>,
    /// The sub-batches behind it.
    behind: Vec<VecDeque<(u32, u32)>>,
    /// The number of pairs in `behind`.
    entries: usize,
    most_entries: usize,
    /// Slots up to this one are warm-up.
    warm_up: u32,
    cut: Option<u32>,
    /// Marks of the servers to be treated one by one in the present slot; a byte for each, and
    /// padding.
    marks: Vec<u8>,
}

impl Pairs {
    /// Empty queues.
    pub(super) fn none(servers: usize, warm_up: u32, most_entries: usize) -> Self {
        let lanes = padded(servers);
        Self {
            arrived: vec![UNTIMED; lanes],
            first: vec![0; lanes],
            behind: vec![VecDeque::new(); servers],
            entries: 0,
            most_entries,
            warm_up,
            cut: None,
            marks: vec![0; lanes],
        }
    }

    /// Slots up to this one are warm-up.
    #[inline]
    pub(super) fn warm_up(&self) -> u32 {
        self.warm_up
    }

    /// The first slot whose arrivals were not timed.
    pub(super) fn cut(&self) -> Option<u32> {
        self.cut
    }

    /// Jobs in the queues that are timed.
    pub(super) fn timed(&self) -> u64 {
        let first = self.arrived.iter().copied().zip(self.first.iter().copied());
        let waiting = first.chain(self.behind.iter().flatten().copied());
        let timed = waiting.filter(|entry| entry.0 != UNTIMED);
        timed.map(|(_, jobs)| u64::from(jobs)).sum()
    }

    /// `jobs` > 0 jobs of one batch join `server` in `slot`.
    #[inline]
    pub(super) fn arrive(&mut self, server: usize, slot: u32, jobs: u32) {
        let arrival = if self.is_timed(slot) { slot } else { UNTIMED };
        if self.first[server] == 0 {
            self.arrived[server] = arrival;
            self.first[server] = jobs;
        } else {
            self.wait(server, slot, arrival, jobs);
        }
    }

    fn wait(&mut self, server: usize, slot: u32, mut arrival: u32, jobs: u32) {
        if self.entries >= self.most_entries && arrival != UNTIMED {
            self.cut = Some(slot);
            arrival = UNTIMED;
        }
        // Jobs that are not timed need no arrival, so they are one entry for each server. There are
        // fewer than 2³¹ of them.
        if let (UNTIMED, Some((UNTIMED, waiting))) = (arrival, self.behind[server].back_mut()) {
            *waiting += jobs;
            return;
        }
        self.behind[server].push_back((arrival, jobs));
        self.entries += 1;
    }

    /// In `slot`, `departed[i]` jobs leave server i, for all servers and padding.
    pub(super) fn leave(&mut self, slot: u32, departed: &[u32], waits: &mut Waits) {
        for (block, departed) in departed.as_chunks().0.iter().enumerate() {
            self.leave_block(block, slot, departed, waits);
        }
    }

    /// The same for a block of servers.
    #[inline]
    fn leave_block(&mut self, block: usize, slot: u32, departed: &[u32; LANES], waits: &mut Waits) {
        // In a large farm under a light load, most blocks have no departure.
        if departed.iter().fold(0, |any, jobs| any | jobs) == 0 {
            return;
        }
        let marks = self.leave_parts(block, slot, departed, waits);
        each_marked(&marks, |at| {
            self.leave_one(LANES * block + at, slot, departed[at], waits);
        });
    }

    /// The jobs that leave a server are mostly a part of its first sub-batch and have not waited
    /// for long. This case is counted for all servers of a block at once, without a branch. Marks
    /// the servers that remain to be treated.
    #[inline]
    fn leave_parts(
        &mut self,
        block: usize,
        slot: u32,
        departed: &[u32; LANES],
        waits: &mut Waits,
    ) -> [u8; LANES] {
        let arrived = &self.arrived.as_chunks::<LANES>().0[block];
        let first = &mut self.first.as_chunks_mut::<LANES>().0[block];
        let (mut parts, mut waited, mut marks) = ([0; LANES], [0; LANES], [0; LANES]);
        for at in 0..LANES {
            let jobs = departed[at] as i32;
            let slots = slot.wrapping_sub(arrived[at]);
            let is_part = (jobs < first[at] as i32) & Waits::is_short(slots);
            let part = if is_part { jobs } else { 0 };
            first[at] = first[at].wrapping_sub(part as u32);
            parts[at] = part as u32;
            waited[at] = slots;
            marks[at] = u8::from(jobs > part);
        }
        waits.add_short(&waited, &parts);
        marks
    }

    /// `arriving[i]` jobs of one batch join server i, for all servers and padding, and jobs leave.
    ///
    /// Most jobs of a batch that is split among many servers are served in the same slot by servers
    /// that were idle. These need no queue: they are counted all together.
    pub(super) fn pass(&mut self, arriving: &[u32], served: Served<'_>, waits: &mut Waits) {
        let Served {
            slot,
            departed,
            queues,
            ..
        } = served;
        let mut marks = std::mem::take(&mut self.marks);
        // If the entries may run out in this slot, servers are treated in order.
        let in_order = self.entries + marks.len() > self.most_entries;
        let mut at_once = 0u32;
        let in_blocks = [arriving, departed, queues].map(|numbers| numbers.as_chunks::<LANES>().0);
        for (block, marks) in marks.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let [arriving, departed, queues] = in_blocks.map(|blocks| &blocks[block]);
            let mut rest = [0; LANES];
            for at in 0..LANES {
                // The server was idle and has served all that arrived.
                let simple = (queues[at] == 0) & (arriving[at] == departed[at]);
                at_once = at_once.wrapping_add(if simple { departed[at] } else { 0 });
                let joined = (arriving[at] != 0) | in_order;
                marks[at] = u8::from(!simple & joined);
                rest[at] = if simple | joined { 0 } else { departed[at] };
            }
            self.leave_block(block, slot, &rest, waits);
        }
        if self.is_timed(slot) {
            waits.add(0, at_once);
        }
        each_marked(&marks, |server| {
            if arriving[server] > 0 {
                self.arrive(server, slot, arriving[server]);
            }
            self.leave_one(server, slot, departed[server], waits);
        });
        self.marks = marks;
    }

    /// Whether jobs that arrive in `slot` are timed.
    #[inline]
    fn is_timed(&self, slot: u32) -> bool {
        slot > self.warm_up && self.cut.is_none()
    }

    /// `jobs` leave `server` in `slot`.
    #[inline]
    fn leave_one(&mut self, server: usize, slot: u32, jobs: u32, waits: &mut Waits) {
        let waiting = self.first[server];
        if jobs >= waiting {
            self.pass_on(server, slot, jobs, waits);
            return;
        }
        self.first[server] = waiting - jobs;
        count(self.arrived[server], slot, jobs, waits);
    }

    /// `jobs` leave, at least the whole first sub-batch.
    #[inline(never)]
    fn pass_on(&mut self, server: usize, slot: u32, mut jobs: u32, waits: &mut Waits) {
        loop {
            let waiting = self.first[server];
            let leaving = jobs.min(waiting);
            count(self.arrived[server], slot, leaving, waits);
            jobs -= leaving;
            self.first[server] = waiting - leaving;
            if leaving < waiting {
                return;
            }
            match self.behind[server].pop_front() {
                Some(next) => {
                    self.entries -= 1;
                    (self.arrived[server], self.first[server]) = next;
                }
                None => return,
            }
            if jobs == 0 {
                return;
            }
        }
    }
}

#[inline]
fn count(arrival: u32, slot: u32, jobs: u32, waits: &mut Waits) {
    let slots = slot.wrapping_sub(arrival);
    if slots < UNTIMED {
        waits.add(slots, jobs);
    }
}

/// The places where a mark is 1 and not 0, eight at a time.
#[inline]
fn each_marked(marks: &[u8], mut found: impl FnMut(usize)) {
    for (at, eight) in marks.as_chunks::<8>().0.iter().enumerate() {
        let mut word = u64::from_le_bytes(*eight);
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

    fn lanes<const N: usize>(departed: [u32; N]) -> [u32; LANES] {
        let mut lanes = [0; LANES];
        lanes[..N].copy_from_slice(&departed);
        lanes
    }

    fn counts(waits: &Waits) -> Vec<(u64, u64)> {
        waits.counts().collect()
    }

    #[test]
    fn too_many_entries_end_the_timing_and_nothing_else() {
        let (mut pairs, mut waits) = (Pairs::none(1, 0, 2), Waits::none());
        for slot in 1..=5 {
            pairs.arrive(0, slot, 10);
        }
        // One in front, two behind; what came in slots 4 and 5 is one entry that is not timed.
        assert_eq!(pairs.behind[0], [(2, 10), (3, 10), (UNTIMED, 20)]);
        pairs.leave(6, &lanes([25]), &mut waits);
        pairs.leave(7, &lanes([10]), &mut waits);
        pairs.leave(8, &lanes([4]), &mut waits);
        pairs.arrive(0, 9, 1);
        pairs.leave(9, &lanes([12]), &mut waits);
        assert_eq!((pairs.cut(), pairs.timed()), (Some(4), 0));
        // 10 from slot 1 and 10 from slot 2 and 5 from slot 3 in slot 6, the other 5 in slot 7.
        assert_eq!(counts(&waits), [(3, 5), (4, 15), (5, 10)]);
    }

    #[test]
    fn long_times_are_counted_too() {
        let long = 50_000;
        let (mut pairs, mut waits) = (Pairs::none(2, 0, 9), Waits::none());
        pairs.arrive(0, 1, 3);
        pairs.arrive(1, 1, 1);
        pairs.leave(long, &lanes([2, 1]), &mut waits);
        pairs.leave(long + 1, &lanes([1, 0]), &mut waits);
        // A server that has been idle for long passes too.
        pairs.leave(2 * long, &lanes([0, 0]), &mut waits);
        let long = u64::from(long);
        assert_eq!(counts(&waits), [(long - 1, 3), (long, 1)]);
    }

    const SERVERS: usize = LANES;

    proptest! {
        /// All servers at once and one by one give the same; if entries run out, they do so for the
        /// same jobs.
        #[test]
        fn in_one_go_or_one_by_one(
            slots in prop::collection::vec(
                (
                    prop::array::uniform16(prop_oneof![2 => Just(0), 1 => 0..9u32]),
                    prop::array::uniform16(0..4u32),
                    // From time to time, long after the last one.
                    prop_oneof![9 => Just(1), 1 => 16_300..16_400u32],
                ),
                1..40,
            ),
            warm_up in prop_oneof![Just(0), 0..20u32],
            most_entries in prop_oneof![0..50usize, Just(1000)],
        ) {
            let mut ways = [(); 2].map(|()| (Pairs::none(SERVERS, warm_up, most_entries), Waits::none()));
            let (mut slot, mut queues) = (0, [0; SERVERS]);
            for (arriving, capacities, later) in slots {
                slot += later;
                let mut departed = [0; SERVERS];
                for server in 0..SERVERS {
                    let jobs = queues[server] + arriving[server];
                    departed[server] = jobs.min(capacities[server]);
                    queues[server] = jobs - departed[server];
                }
                let served = Served {
                    slot,
                    jobs: arriving.iter().sum(),
                    departed: &departed,
                    queues: &queues,
                    waiting: queues.iter().sum(),
                };
                let [(together, waits), (apart, apart_waits)] = &mut ways;
                together.pass(&arriving, served, waits);
                // A server that was idle and has served all that arrived needs no entry.
                let simple =
                    |server: usize| queues[server] == 0 && arriving[server] == departed[server];
                let order = (0..SERVERS).filter(|&server| simple(server));
                for server in order.chain((0..SERVERS).filter(|&server| !simple(server))) {
                    if arriving[server] > 0 {
                        apart.arrive(server, slot, arriving[server]);
                    }
                    apart.leave_one(server, slot, departed[server], apart_waits);
                }
            }
            let [together, apart] = ways.map(|(pairs, waits)| (pairs.cut(), pairs.timed(), counts(&waits)));
            prop_assert_eq!(together, apart);
        }
    }
}
