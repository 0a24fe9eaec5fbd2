use std::collections::{BTreeMap, VecDeque};

use super::service::padded;

/// A run in front of so many servers keeps at most so many pairs (slot of arrival, jobs left) behind the
/// foremost of each queue: 2 MiB of them and 1 KiB for each server.
///
/// A farm that can be waited for stays far below; beyond it, the pairs no longer fit into a
/// processor's cache and would take most of the time.
pub const fn most_entries(servers: usize) -> usize {
    (1 << 18) + 128 * servers
}

/// How long jobs took: a job that is served in its arrival slot took 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// Completion times that occurred, ascending, each with the number of jobs.
    pub counts: Vec<(u64, u64)>,
    /// Jobs that were timed and had not left when the run ended.
    pub unfinished: u64,
    /// The slot from which on arrivals were not timed any more, because too many waited.
    pub cut: Option<u32>,
}

/// Waits of up to so many slots are counted in an array, longer ones in a map.
const DENSE: usize = 1 << 14;

/// The arrival slot of jobs that are not timed. No run has so many slots
/// ([`Length::MOST_SLOTS`](super::Length::MOST_SLOTS)), so from here to any slot it takes, modulo 2³²,
/// at least 2³¹ slots: such jobs look as if they had taken very long and are found there.
const UNTIMED: u32 = 1 << 31;

/// The queues of a run as sub-batches in order, and the completion times of what left them.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    /// When the foremost sub-batch of each server arrived and how many of its jobs are left; 0 if the
    /// server is idle.
    front: Vec<(u32, u32)>,
    /// What stands behind it.
    behind: Vec<VecDeque<(u32, u32)>>,
    /// How many pairs stand behind.
    entries: usize,
    most_entries: usize,
    /// Slots up to this one are warm-up.
    warm_up: u32,
    cut: Option<u32>,
    /// The servers that have to be looked at in the present slot; a byte for each, and padding.
    marks: Vec<u8>,
    /// Jobs by slots between arrival and departure, up to [`DENSE`] of them.
    short: Box<[u64; DENSE + 1]>,
    long: BTreeMap<u32, u64>,
}

impl Timing {
    pub(super) fn new(servers: usize, warm_up: u32, most_entries: usize) -> Self {
        Self {
            front: vec![(UNTIMED, 0); servers],
            behind: vec![VecDeque::new(); servers],
            entries: 0,
            most_entries,
            warm_up,
            cut: None,
            marks: vec![0; padded(servers)],
            short: vec![0; DENSE + 1].try_into().expect("as long as it says"),
            long: BTreeMap::new(),
        }
    }

    /// `jobs` > 0 jobs of one batch join `server` in `slot`.
    #[inline]
    pub(super) fn arrive(&mut self, server: usize, slot: u32, jobs: u32) {
        let arrival = if self.is_timed(slot) { slot } else { UNTIMED };
        let front = &mut self.front[server];
        if front.1 == 0 {
            *front = (arrival, jobs);
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

    /// In `slot`, `left[i]` jobs leave server i, for all servers and padding.
    pub(super) fn leave(&mut self, slot: u32, left: &[u32]) {
        let mut marks = std::mem::take(&mut self.marks);
        for (mark, &left) in marks.iter_mut().zip(left) {
            *mark = u8::from(left > 0);
        }
        each_marked(&marks, |server| self.leave_one(server, slot, left[server]));
        self.marks = marks;
    }

    /// In `slot`, `arriving[i]` jobs of one batch join server i, `left[i]` leave it and `queues[i]` are left, for
    /// all servers and padding.
    ///
    /// Of a batch that is split among many servers, most jobs are done at once by servers that had nothing
    /// else to do. These need no queue: they are counted all together.
    pub(super) fn pass(&mut self, slot: u32, arriving: &[u32], left: &[u32], queues: &[u32]) {
        let mut marks = std::mem::take(&mut self.marks);
        let lanes = marks.len();
        let (arriving, left, queues) = (&arriving[..lanes], &left[..lanes], &queues[..lanes]);
        let mut at_once = 0u32;
        for server in 0..lanes {
            // All that there was has just arrived.
            let simple = (queues[server] == 0) & (arriving[server] == left[server]);
            at_once = at_once.wrapping_add(if simple { left[server] } else { 0 });
            marks[server] = u8::from(!simple);
        }
        if self.is_timed(slot) {
            self.short[0] += u64::from(at_once);
        }
        each_marked(&marks, |server| {
            if arriving[server] > 0 {
                self.arrive(server, slot, arriving[server]);
            }
            self.leave_one(server, slot, left[server]);
        });
        self.marks = marks;
    }

    /// Jobs that arrive in `slot` count.
    #[inline]
    fn is_timed(&self, slot: u32) -> bool {
        slot > self.warm_up && self.cut.is_none()
    }

    /// `jobs` leave `server` in `slot`. Mostly they are a part of its foremost sub-batch.
    #[inline]
    fn leave_one(&mut self, server: usize, slot: u32, jobs: u32) {
        let front = &mut self.front[server];
        let (arrival, waiting) = *front;
        if jobs >= waiting {
            self.pass_on(server, slot, jobs);
            return;
        }
        front.1 = waiting - jobs;
        self.count(arrival, slot, jobs);
    }

    /// `jobs` leave, at least the whole foremost sub-batch.
    #[inline(never)]
    fn pass_on(&mut self, server: usize, slot: u32, mut jobs: u32) {
        loop {
            let (arrival, waiting) = self.front[server];
            let leaving = jobs.min(waiting);
            self.count(arrival, slot, leaving);
            jobs -= leaving;
            self.front[server].1 = waiting - leaving;
            if leaving < waiting {
                return;
            }
            match self.behind[server].pop_front() {
                Some(next) => {
                    self.entries -= 1;
                    self.front[server] = next;
                }
                None => return,
            }
            if jobs == 0 {
                return;
            }
        }
    }

    #[inline]
    fn count(&mut self, arrival: u32, slot: u32, jobs: u32) {
        let took = slot.wrapping_sub(arrival);
        if (took as usize) <= DENSE {
            self.short[took as usize] += u64::from(jobs);
        } else {
            self.count_long(arrival, slot, jobs);
        }
    }

    #[cold]
    fn count_long(&mut self, arrival: u32, slot: u32, jobs: u32) {
        if arrival != UNTIMED {
            *self.long.entry(slot - arrival).or_default() += u64::from(jobs);
        }
    }

    pub(super) fn finish(self) -> Completions {
        let behind = self.behind.iter().flatten();
        let waiting = self.front.iter().chain(behind);
        let timed = waiting.filter(|entry| entry.0 != UNTIMED);
        let unfinished = timed.map(|&(_, jobs)| u64::from(jobs)).sum();
        let short = (0..).zip(self.short.iter().copied());
        let long = self
            .long
            .iter()
            .map(|(&took, &jobs)| (u64::from(took), jobs));
        let counts = short.filter(|&(_, jobs)| jobs > 0).chain(long);
        Completions {
            counts: counts.map(|(took, jobs)| (took + 1, jobs)).collect(),
            unfinished,
            cut: self.cut,
        }
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

    #[test]
    fn too_many_entries_end_the_timing_and_nothing_else() {
        let mut timing = Timing::new(1, 0, 2);
        for slot in 1..=5 {
            timing.arrive(0, slot, 10);
        }
        // One in front, two behind; what came in slots 4 and 5 is one entry that is not timed.
        assert_eq!(timing.behind[0], [(2, 10), (3, 10), (UNTIMED, 20)]);
        timing.leave(6, &[25]);
        timing.leave(7, &[10]);
        timing.leave(8, &[4]);
        timing.arrive(0, 9, 1);
        timing.leave(9, &[12]);
        let completions = timing.finish();
        assert_eq!(completions.cut, Some(4));
        // 10 from slot 1 and 10 from slot 2 and 5 from slot 3 in slot 6, the other 5 in slot 7.
        assert_eq!(completions.counts, [(4, 5), (5, 15), (6, 10)]);
        assert_eq!(completions.unfinished, 0);
    }

    #[test]
    fn long_times_are_counted_too() {
        let long = 3 * DENSE as u32;
        let mut timing = Timing::new(2, 0, 9);
        timing.arrive(0, 1, 3);
        timing.arrive(1, 1, 1);
        timing.leave(long, &[2, 1]);
        timing.leave(long + 1, &[1, 0]);
        // A server that has been idle for long passes too.
        timing.leave(2 * long, &[0, 0]);
        let completions = timing.finish();
        let long = u64::from(long);
        assert_eq!(completions.counts, [(long, 3), (long + 1, 1)]);
    }
}
