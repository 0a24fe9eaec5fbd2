//! The lengths of all queues, in four bytes each.

use std::collections::BTreeMap;

/// The longest queue that fits into its own four bytes. The top bit stays free: while requests are
/// answered it marks a processor that has been asked ([`super::requests`]).
const FULL: u32 = (1 << 31) - 1;

/// A queue with spare jobs never has fewer than this many in its own four bytes.
pub(super) const HALF_FULL: u32 = 1 << 30;

/// The lengths of all queues.
///
/// Nearly all queues are short, and a step is limited by memory bandwidth, so a length has 32 bits.
/// What does not fit is kept aside as *spare* jobs: a host from which nothing is stolen gains up to
/// n jobs a step. Few processors have spare jobs, because each needs 2³¹ jobs first, unless a run
/// begins with many in one queue, which halving spreads over all.
///
/// Invariant between operations: a queue with spare jobs holds at least 2³⁰ in its own four bytes,
/// so a smaller number is the whole length. Serving takes one job away, and `settle` refills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queues {
    pub(super) short: Vec<u32>,
    /// Processors with jobs beyond [`FULL`], and how many.
    spare: BTreeMap<u32, u64>,
}

/// What an adversary sees.
impl filch_workload::Lengths for Queues {
    fn processors(&self) -> usize {
        self.processors()
    }

    fn length(&self, processor: usize) -> u64 {
        self.length(processor)
    }
}

impl Queues {
    /// Empty queues for so many processors.
    pub(super) fn empty(processors: usize) -> Self {
        Self {
            short: vec![0; processors],
            spare: BTreeMap::new(),
        }
    }

    /// The number of processors.
    pub fn processors(&self) -> usize {
        self.short.len()
    }

    /// The length of the queue of `processor`, counted from 0.
    pub fn length(&self, processor: usize) -> u64 {
        self.whole(processor, self.short[processor])
    }

    /// The length of the queue of `processor`, whose own four bytes are `short`.
    #[inline]
    pub(super) fn whole(&self, processor: usize, short: u32) -> u64 {
        if short < HALF_FULL {
            return short.into();
        }
        let spare = self.spare.get(&(processor as u32));
        u64::from(short) + spare.map_or(0, |spare| *spare)
    }

    /// Sets the length of the queue of `processor`.
    #[inline]
    pub(super) fn set(&mut self, processor: usize, length: u64) {
        if self.short[processor] < HALF_FULL && length <= FULL.into() {
            self.short[processor] = length as u32;
        } else {
            self.set_long(processor, length);
        }
    }

    #[cold]
    fn set_long(&mut self, processor: usize, length: u64) {
        let short = length.min(FULL.into());
        self.short[processor] = short as u32;
        if length > short {
            self.spare.insert(processor as u32, length - short);
        } else {
            self.spare.remove(&(processor as u32));
        }
    }

    /// Adds `jobs` to the queue of `processor`.
    #[inline]
    pub(super) fn add(&mut self, processor: usize, jobs: u64) {
        let length = self.length(processor);
        self.set(processor, length + jobs);
    }

    /// Refills the four bytes of each queue from its spare jobs.
    pub(super) fn settle(&mut self) {
        self.spare.retain(|processor, spare| {
            let short = &mut self.short[*processor as usize];
            let room = u64::from(FULL - *short).min(*spare);
            *short += room as u32;
            *spare -= room;
            *spare > 0
        });
    }

    /// The length of the longest queue with spare jobs; 0 if there is none.
    pub(super) fn longest_with_spare(&self) -> u64 {
        let lengths = self
            .spare
            .iter()
            .map(|(&processor, spare)| spare + u64::from(self.short[processor as usize]));
        lengths.max().unwrap_or(0)
    }

    /// All lengths in order.
    pub fn lengths(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.processors()).map(|processor| self.length(processor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// After any operations the queues hold what 64-bit numbers would.
        #[test]
        fn as_if_they_were_wide(
            moves in prop::collection::vec((0..3usize, 0..4u8, prop_oneof![0..9u64, 0..1u64 << 33]), 0..60),
        ) {
            let mut queues = Queues::empty(3);
            let mut wide = [0u64; 3];
            for (at, what, jobs) in moves {
                match what {
                    0 => {
                        queues.add(at, jobs);
                        wide[at] += jobs;
                    }
                    1 => {
                        queues.set(at, jobs);
                        wide[at] = jobs;
                    }
                    2 => {
                        let half = queues.length(at) / 2;
                        queues.set(at, half);
                        wide[at] /= 2;
                    }
                    _ => {
                        for (short, wide) in queues.short.iter_mut().zip(&mut wide) {
                            *short = short.saturating_sub(1);
                            *wide = wide.saturating_sub(1);
                        }
                        queues.settle();
                    }
                }
                prop_assert!(queues.lengths().eq(wide));
                let longest = wide.into_iter().filter(|&length| length > FULL.into()).max();
                prop_assert_eq!(queues.longest_with_spare(), longest.unwrap_or(0));
            }
        }
    }
}
