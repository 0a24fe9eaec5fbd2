//! Parts 3 to 5 of Figure 1 for more processors than a cache holds queues of.
//!
//! [`super::requests`] reads and writes the queue of a random processor for each request. With 10⁷
//! processors each such access misses every cache and often the translation buffer too. Here
//! requests are grouped by the processors that they ask, and gifts by the processors that receive
//! them; a group's queues are then read and written while they are in a cache:
//!
//! 1. Each processor with an empty queue draws the processor that it asks, and the request is
//!    written into the list of that processor's group.
//! 2. For each group, its requests to processors that can give (f(l) ≤ l/2, so two jobs are needed)
//!    are answered in the order in which they were made. The recipient is drawn while they arrive,
//!    as in [`super::requests`]. Each gift is written into the list of the recipient's group.
//! 3. For each group, every queue processes one job, and the recipients' queues become what they
//!    received less one job.
//!
//! If few requests were answered in the step before, most of them are not worth a place in a list.
//! Then one pass over the queues first notes for every 16 neighbours in a bit whether any of them
//! can give, and a request to others is drawn and counted, and nothing else. All bits together are
//! 512 times smaller than the queues, so that they are in a cache.
//!
//! The law is that of the figure. Which processor is asked does not depend on any answer, so all
//! may be drawn before the first answer. Each asked processor draws its recipient among its own
//! requests, independently of others, so groups may be answered one after the other. The random
//! numbers are used in another order than in [`super::requests`], so the two ways give different
//! runs for the same seed. The number of processors decides which of them is used.

use filch_policy::steal::Steal;
use rand::Rng;

use super::answers::{Answers, Request};
use super::groups::Groups;
use super::queues::{HALF_FULL, Queues};
use super::requests::{Answered, empty};
use super::serve::{end_of_step, serve_short};
use super::uniform::below;

/// So many neighbours share a bit.
const NEIGHBOURS: usize = 16;

/// Few processors can give if fewer than one request in so many was answered.
const FEW: u64 = 32;

/// So many processors for each group draw their requests before the lists' memory is fetched anew.
const AHEAD: usize = 256;

/// Draws and answers the requests of a step group by group; keeps its memory from step to step.
#[derive(Clone, Debug)]
pub(super) struct GroupedRequests {
    /// A bit for each 16 neighbours of which one can give.
    givers: Vec<u64>,
    /// Whether few processors gave in the step before.
    few_gave: bool,
    requests: Groups<Request>,
    gifts: Groups<Gift>,
    /// The gifts of 2³⁰ jobs and more: recipient and jobs.
    large_gifts: Vec<(usize, u64)>,
    answers: Answers,
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
            few_gave: true,
            requests: Groups::new(processors, size),
            gifts: Groups::new(processors, size),
            large_gifts: Vec::new(),
            answers: Answers::default(),
        }
    }

    /// Every processor whose queue is empty asks, the asked ones give, and every queue processes
    /// one job. Also returns the length of the longest queue afterwards.
    pub(super) fn answer_and_serve<R: Rng + Clone>(
        &mut self,
        queues: &mut Queues,
        steal: &impl Steal,
        rng: &mut R,
    ) -> (Answered, u64) {
        let requests = if self.few_gave {
            self.find_givers(queues);
            self.ask::<true, _>(queues, rng)
        } else {
            self.ask::<false, _>(queues, rng)
        };
        let mut answered = Answered {
            requests,
            ..Answered::default()
        };
        let mut givers = 0;
        for group in 0..self.requests.count() {
            let first = group * self.requests.size();
            let end = queues.short.len().min(first + self.requests.size());
            let requests = self.requests.records(group);
            self.answers
                .draw(first, requests, &mut queues.short[first..end], rng);
            self.requests.clear(group);
            givers += self.answers.asked().len() as u64;
            let (steals, moved) = self.give(queues, steal);
            answered.steals += steals;
            answered.moved += moved;
        }
        self.few_gave = givers < requests / FEW;
        (answered, self.serve(queues))
    }

    /// Sets the bits of those that can give.
    fn find_givers(&mut self, queues: &Queues) {
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
        }
    }

    /// Draws the processor that each empty one asks; returns the number of requests. With `FILTER`
    /// only requests to the neighbours of those that can give are kept.
    #[inline(never)]
    fn ask<const FILTER: bool, R: Rng + Clone>(&mut self, queues: &Queues, rng: &mut R) -> u64 {
        let processors = queues.short.len() as u32;
        let groups = self.requests.count();
        let span = (AHEAD * groups).next_multiple_of(64);
        // The state of a copy stays in registers. That of the caller's generator would be stored
        // for each number, because the caller sees it if a list fails to grow.
        let mut own = rng.clone();
        let (mut requests, mut before) = (0, 0);
        for (start, span) in (0..processors).step_by(span).zip(queues.short.chunks(span)) {
            if !FILTER {
                self.requests.fetch(before / groups);
            }
            before = 0;
            for (first, block) in (start..).step_by(64).zip(span.chunks(64)) {
                let mut empty = empty(block);
                before += empty.count_ones() as usize;
                while empty != 0 {
                    let recipient = first + empty.trailing_zeros();
                    empty &= empty - 1;
                    let processor = below(processors, &mut own);
                    let bit = processor as usize / NEIGHBOURS;
                    if !FILTER || self.givers[bit / 64] >> (bit % 64) & 1 == 1 {
                        let request = Request::new(processor, recipient);
                        self.requests.push_if(true, processor, request);
                    }
                }
            }
            requests += before as u64;
        }
        *rng = own;
        requests
    }

    /// The asked processors of a group give.
    fn give(&mut self, queues: &mut Queues, steal: &impl Steal) -> (u64, u64) {
        let (mut steals, mut moved) = (0, 0);
        for asked in self.answers.asked() {
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
