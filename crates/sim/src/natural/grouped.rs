//! Parts 3 to 5 of Figure 1 for more processors than a cache holds queues of.
//!
//! [`super::requests`] reads and writes the queue of a random processor for each request. With 10⁷
//! processors each such access misses every cache and often the translation buffer too. Here
//! requests are grouped by the processors that they ask, and gifts by the processors that receive
//! them; a group's queues are then read and written while they are in a cache:
//!
//! 1. One pass over the queues notes for every 16 neighbours in a bit whether any of them can give
//!    (f(l) ≤ l/2, so two jobs are needed). All bits together are 512 times smaller than the
//!    queues, so that they are in a cache.
//! 2. Each processor with an empty queue draws the processor that it asks. A request to one that
//!    has a neighbour that can give, or can itself, is written into the list of its group.
//! 3. For each group, its requests to processors that can give are answered in the order in which
//!    they were made. The recipient is drawn while they arrive, as in [`super::requests`]. Each
//!    gift is written into the list of the recipient's group.
//! 4. For each group, every queue processes one job, and the recipients' queues become what they
//!    received less one job.
//!
//! The law is that of the figure. Which processor is asked does not depend on any answer, so all
//! may be drawn before the first answer. Each asked processor draws its recipient among its own
//! requests, independently of others, so groups may be answered one after the other. The random
//! numbers are used in another order than in [`super::requests`], so the two ways give different
//! runs for the same seed. The number of processors decides which of them is used.

use filch_policy::steal::Steal;
use rand::Rng;

use super::groups::Groups;
use super::queues::{HALF_FULL, Queues};
use super::requests::{ASKED, Answered, Asked, empty};
use super::serve::{end_of_step, serve_short};
use super::uniform::below;

/// So many neighbours share a bit.
const NEIGHBOURS: usize = 16;

/// Few processors can give if fewer than one bit in so many is set.
const FEW: usize = 8;

/// Draws and answers the requests of a step group by group; keeps its memory from step to step.
#[derive(Clone, Debug)]
pub(super) struct GroupedRequests {
    /// A bit for each 16 neighbours of which one can give.
    givers: Vec<u64>,
    requests: Groups<Request>,
    gifts: Groups<Gift>,
    /// The gifts of 2³⁰ jobs and more: recipient and jobs.
    large_gifts: Vec<(usize, u64)>,
    /// The asked processors of one group come first; the rest is spare room.
    asked: Vec<Asked>,
}

/// A request to a processor that may be able to give.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    processor: u32,
    recipient: u32,
}

/// Jobs for a processor whose queue is empty.
#[derive(Clone, Copy, Debug, Default)]
struct Gift {
    recipient: u32,
    jobs: u32,
}

impl GroupedRequests {
    /// For so many processors, in groups of `size`, a power of two.
    pub(super) fn new(processors: usize, size: usize) -> Self {
        Self {
            givers: vec![0; processors.div_ceil(64 * NEIGHBOURS)],
            requests: Groups::new(processors, size),
            gifts: Groups::new(processors, size),
            large_gifts: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Every processor whose queue is empty asks, the asked ones give, and every queue processes
    /// one job. Also returns the length of the longest queue afterwards.
    pub(super) fn answer_and_serve<R: Rng + ?Sized>(
        &mut self,
        queues: &mut Queues,
        steal: &impl Steal,
        rng: &mut R,
    ) -> (Answered, u64) {
        let requests = if self.find_givers(queues) < queues.short.len() / NEIGHBOURS / FEW {
            self.ask::<true, _>(queues, rng)
        } else {
            self.ask::<false, _>(queues, rng)
        };
        let mut answered = Answered {
            requests,
            ..Answered::default()
        };
        for group in 0..self.requests.count() {
            let asked = self.answer(group, queues, rng);
            let (steals, moved) = self.give(asked, queues, steal);
            answered.steals += steals;
            answered.moved += moved;
        }
        (answered, self.serve(queues))
    }

    /// Sets the bits of those that can give; returns how many bits are set.
    fn find_givers(&mut self, queues: &Queues) -> usize {
        let mut set = 0;
        let blocks = queues.short.chunks(64 * NEIGHBOURS);
        for (givers, block) in self.givers.iter_mut().zip(blocks) {
            *givers = 0;
            for (bit, neighbours) in block.chunks(NEIGHBOURS).enumerate() {
                // Lengths stay below 2³¹, and SSE2-era vector units have signed maxima only.
                let longest = neighbours
                    .iter()
                    .fold(0, |most, &queue| most.max(queue as i32));
                *givers |= u64::from(longest >= 2) << bit;
            }
            set += givers.count_ones() as usize;
        }
        set
    }

    /// Draws the processor that each empty one asks; returns the number of requests. If few can
    /// give, a branch foretells that a request is not kept; if many can, it would be mispredicted
    /// about every other time.
    fn ask<const FEW_GIVE: bool, R: Rng + ?Sized>(&mut self, queues: &Queues, rng: &mut R) -> u64 {
        let processors = queues.short.len() as u32;
        let mut requests = 0;
        for (first, block) in (0..processors).step_by(64).zip(queues.short.chunks(64)) {
            let mut empty = empty(block);
            requests += u64::from(empty.count_ones());
            while empty != 0 {
                let recipient = first + empty.trailing_zeros();
                let processor = below(processors, rng);
                let bit = processor as usize / NEIGHBOURS;
                let can_give = self.givers[bit / 64] >> (bit % 64) & 1 == 1;
                let request = Request {
                    processor,
                    recipient,
                };
                if !FEW_GIVE || can_give {
                    self.requests.push_if(can_give, processor, request);
                }
                empty &= empty - 1;
            }
        }
        requests
    }

    /// Draws the recipient of each asked processor of a group; returns how many were asked.
    fn answer<R: Rng + ?Sized>(&mut self, group: usize, queues: &mut Queues, rng: &mut R) -> usize {
        let first = group * self.requests.size();
        let end = queues.short.len().min(first + self.requests.size());
        // Read in order, the queues arrive in the cache as fast as memory delivers; read in the
        // order of the requests, each line would be waited for.
        std::hint::black_box(
            queues.short[first..end]
                .iter()
                .fold(0, |all, one| all | one),
        );
        let requests = self.requests.records(group);
        if self.asked.len() <= requests.len() {
            self.asked.resize(requests.len() + 1, Asked::default());
        }
        let mut count = 0;
        for request in requests {
            let queue = &mut queues.short[request.processor as usize];
            let short = *queue;
            if short & ASKED != 0 {
                self.asked[(short ^ ASKED) as usize].ask_again(request.recipient, rng);
                continue;
            }
            // Without a branch, as in `requests.rs`: the entry is always written.
            self.asked[count] = Asked {
                processor: request.processor,
                short,
                recipient: request.recipient,
                requests: 1,
            };
            let can_give = short >= 2;
            *queue = if can_give {
                ASKED | count as u32
            } else {
                short
            };
            count += usize::from(can_give);
        }
        self.requests.clear(group);
        count
    }

    /// The first `count` asked processors give.
    fn give(&mut self, count: usize, queues: &mut Queues, steal: &impl Steal) -> (u64, u64) {
        let (mut steals, mut moved) = (0, 0);
        for asked in &self.asked[..count] {
            let (jobs, recipient) = (asked.give(queues, steal), asked.recipient);
            if jobs < HALF_FULL.into() {
                let gift = Gift {
                    recipient,
                    jobs: jobs as u32,
                };
                self.gifts.push_if(jobs > 0, recipient, gift);
            } else {
                self.large_gifts.push((recipient as usize, jobs));
            }
            steals += u64::from(jobs > 0);
            moved += jobs;
        }
        (steals, moved)
    }

    /// Every queue processes one job; returns the length of the longest queue afterwards. A
    /// recipient's queue is empty until its gift is put into it, without the job that it processes.
    fn serve(&mut self, queues: &mut Queues) -> u64 {
        // Not before: a recipient with jobs in its queue would look as if it could give.
        for (recipient, jobs) in self.large_gifts.drain(..) {
            queues.set(recipient, jobs);
        }
        let size = self.gifts.size();
        let mut longest = 0;
        for (group, block) in queues.short.chunks_mut(size).enumerate() {
            longest = longest.max(serve_short(block));
            for gift in self.gifts.records(group) {
                let left = gift.jobs - 1;
                block[gift.recipient as usize % size] = left;
                longest = longest.max(left);
            }
            self.gifts.clear(group);
        }
        end_of_step(queues, longest)
    }
}
