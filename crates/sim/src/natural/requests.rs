//! Parts 3 and 4 of Figure 1: requests, and the jobs that they move.
//!
//! In the figure every processor with an empty queue asks a random processor, every asked processor
//! draws a recipient among those that asked it, and f(X′) jobs move. Four shortcuts make this cheap
//! and leave its law unchanged:
//!
//! * **Empty queues are found 64 at a time.** Lengths are compared as vectors and gathered into
//!   bits; only set bits are visited.
//! * **Only requests that can move a job are recorded.** f(l) ≤ l/2 (Property 1), so a processor
//!   with fewer than two jobs gives nothing. Its requests are drawn and counted, and nothing else.
//! * **The recipient is drawn while requests arrive** (reservoir sampling). The c-th request to a
//!   processor replaces the recipient chosen so far with probability 1/c, so each of the c senders
//!   is chosen with probability 1/c, independently of other processors.
//! * **Marks need no memory and no clearing.** Until jobs move, a queue that has been asked holds
//!   the index of its entry in the list of asked processors, with the top bit set; the entry holds
//!   its length. So a request costs one random access to memory.

use filch_policy::steal::Steal;
use rand::Rng;

use super::queues::Queues;
use super::uniform::below;

/// Set in a queue that has been asked in this step.
pub(super) const ASKED: u32 = 1 << 31;

/// A processor with something to give that was asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub(super) processor: u32,
    /// The four bytes of its queue before the first request.
    pub(super) short: u32,
    /// The recipient chosen so far.
    pub(super) recipient: u32,
    /// How many requests it has received.
    pub(super) requests: u32,
}

impl Asked {
    /// One more request: `recipient` replaces the one chosen so far with probability 1/c if it is
    /// the c-th.
    #[inline]
    pub(super) fn ask_again<R: Rng + ?Sized>(&mut self, recipient: u32, rng: &mut R) {
        self.requests += 1;
        let replaces = below(self.requests, rng) == 0;
        // A selection, not a branch, which would be mispredicted about every other time.
        self.recipient = if replaces { recipient } else { self.recipient };
    }

    /// Takes the mark and f of its jobs from the processor's queue; returns how many jobs.
    #[inline]
    pub(super) fn give(&self, queues: &mut Queues, steal: &impl Steal) -> u64 {
        let processor = self.processor as usize;
        queues.short[processor] = self.short;
        let length = queues.whole(processor, self.short);
        let jobs = steal.jobs(length).min(length / 2);
        if jobs > 0 {
            queues.set(processor, length - jobs);
        }
        jobs
    }
}

/// Draws and answers the requests of a step; keeps its memory from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct StealRequests {
    /// The processors asked in this step come first; the rest is spare capacity.
    asked: Vec<Asked>,
}

/// What the requests of one step moved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Answered {
    pub(super) requests: u64,
    pub(super) steals: u64,
    pub(super) moved: u64,
}

impl StealRequests {
    /// Every processor whose queue is empty asks one of all processors, itself possible.
    pub(super) fn answer<R: Rng + ?Sized>(
        &mut self,
        queues: &mut Queues,
        steal: &impl Steal,
        rng: &mut R,
    ) -> Answered {
        let mut requests = 0;
        let mut asked = 0;
        for first in (0..queues.short.len()).step_by(64) {
            let end = queues.short.len().min(first + 64);
            let mut empty = empty(&queues.short[first..end]);
            requests += u64::from(empty.count_ones());
            if self.asked.len() < asked + 64 {
                self.asked.resize(asked + asked / 4 + 64, Asked::default());
            }
            while empty != 0 {
                let recipient = first as u32 + empty.trailing_zeros();
                asked = self.ask(recipient, asked, queues, rng);
                empty &= empty - 1;
            }
        }
        let (steals, moved) = self.give(asked, queues, steal);
        Answered {
            requests,
            steals,
            moved,
        }
    }

    /// `recipient` asks a processor. `count` processors that can give have been asked before;
    /// returns their number now.
    #[inline]
    fn ask<R: Rng + ?Sized>(
        &mut self,
        recipient: u32,
        count: usize,
        queues: &mut Queues,
        rng: &mut R,
    ) -> usize {
        let processor = below(queues.short.len() as u32, rng);
        let queue = &mut queues.short[processor as usize];
        let short = *queue;
        if short & ASKED != 0 {
            self.asked[(short ^ ASKED) as usize].ask_again(recipient, rng);
            return count;
        }
        // Without a branch, which would be mispredicted about every other time: the entry is always
        // written, and `count` decides whether it is kept.
        self.asked[count] = Asked {
            processor,
            short,
            recipient,
            requests: 1,
        };
        let can_give = short >= 2;
        *queue = if can_give {
            ASKED | count as u32
        } else {
            short
        };
        count + usize::from(can_give)
    }

    /// The first `count` asked processors give. A recipient has asked only one processor and has an
    /// empty queue, so the order does not matter.
    fn give(&self, count: usize, queues: &mut Queues, steal: &impl Steal) -> (u64, u64) {
        let (mut steals, mut moved) = (0, 0);
        for asked in &self.asked[..count] {
            let jobs = asked.give(queues, steal);
            if jobs > 0 {
                queues.set(asked.recipient as usize, jobs);
                steals += 1;
                moved += jobs;
            }
        }
        (steals, moved)
    }
}

/// A bit for each of up to 64 queues that is empty.
#[inline]
pub(super) fn empty(block: &[u32]) -> u64 {
    let mut is_empty = [0u8; 64];
    for (queue, is_empty) in block.iter().zip(&mut is_empty) {
        *is_empty = u8::from(*queue == 0);
    }
    let mut bits = 0;
    for (at, eight) in is_empty.as_chunks::<8>().0.iter().enumerate() {
        // The product gathers the lowest bits of eight bytes: that of byte j goes to bit 56 + j.
        let moved = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080);
        bits |= (moved >> 56) << (8 * at);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn empty_queues_have_a_bit(queues in prop::collection::vec(0..3u32, 0..=64)) {
            let bits = empty(&queues);
            for at in 0..64 {
                prop_assert_eq!(bits >> at & 1 == 1, queues.get(at) == Some(&0));
            }
        }
    }
}
