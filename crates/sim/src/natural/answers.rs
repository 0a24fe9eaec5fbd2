//! The asked processors of a group, and the recipient that each of them draws.
//!
//! Most requests go to processors that cannot give, and each store counts, so requests are looked
//! at in three passes without a branch that the processor could mispredict:
//!
//! 1. Requests to processors that can give are copied to a list.
//! 2. The first of them to each processor makes an entry for it, with the sender as its recipient.
//!    Later ones go to another list.
//! 3. Each of these takes the place of the recipient with probability 1/c if it is the c-th.
//!
//! All passes keep the order, so the random numbers are used as in a single pass.

use rand::Rng;

use super::requests::{ASKED, Asked};

/// A request: the asked processor in the upper half, the one that asks in the lower.
///
/// A word, because it is written with one store.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Request(u64);

impl Request {
    #[inline]
    pub(super) fn new(processor: u32, recipient: u32) -> Self {
        Self(u64::from(processor) << 32 | u64::from(recipient))
    }

    #[inline]
    fn processor(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    fn recipient(self) -> u32 {
        self.0 as u32
    }
}

/// Draws the recipients of one group at a time; keeps its memory.
///
/// In each list what is in use comes first, and the rest is spare room. An entry is always written
/// at its end, and the count says whether it is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Requests to processors that can give.
    useful: Vec<Request>,
    /// Requests to processors that were asked before: the number of the entry, and the recipient.
    repeated: Vec<(u32, u32)>,
    asked: Vec<Asked>,
    /// How many processors of the group were asked.
    count: usize,
}

impl Answers {
    /// Draws the recipient of each asked processor of a group. `block` are the group's queues, the
    /// first of which is that of processor `first`. Afterwards the queue of each asked processor
    /// holds a mark, which [`Asked::give`] takes away.
    #[inline(never)]
    pub(super) fn draw<R: Rng + ?Sized>(
        &mut self,
        first: usize,
        requests: &[Request],
        block: &mut [u32],
        rng: &mut R,
    ) {
        // Read in order, the queues arrive in the cache as fast as memory delivers; read in the
        // order of the requests, each line would be waited for.
        std::hint::black_box(block.iter().fold(0, |all, one| all | one));
        let useful = self.choose_useful(first, requests, block);
        let repeated = self.mark(first, useful, block);
        for &(entry, recipient) in &self.repeated[..repeated] {
            self.asked[entry as usize].ask_again(recipient, rng);
        }
    }

    /// The processors that were asked.
    pub(super) fn asked(&self) -> &[Asked] {
        &self.asked[..self.count]
    }

    /// Copies the requests to processors that can give; returns how many.
    fn choose_useful(&mut self, first: usize, requests: &[Request], block: &[u32]) -> usize {
        make_room(&mut self.useful, requests.len());
        let mut useful = 0;
        for &request in requests {
            self.useful[useful] = request;
            let queue = block[request.processor() as usize - first];
            useful += usize::from(queue >= 2);
        }
        useful
    }

    /// Makes an entry for each processor that the useful requests ask; returns how many of these
    /// requests ask a processor that has one.
    fn mark(&mut self, first: usize, useful: usize, block: &mut [u32]) -> usize {
        make_room(&mut self.asked, useful);
        make_room(&mut self.repeated, useful);
        let (mut count, mut repeated) = (0, 0);
        for &request in &self.useful[..useful] {
            let (processor, recipient) = (request.processor(), request.recipient());
            let queue = &mut block[processor as usize - first];
            let short = *queue;
            let is_first = short & ASKED == 0;
            self.asked[count] = Asked {
                processor,
                short,
                recipient,
                requests: 1,
            };
            self.repeated[repeated] = (short ^ ASKED, recipient);
            *queue = if is_first {
                ASKED | count as u32
            } else {
                short
            };
            count += usize::from(is_first);
            repeated += usize::from(!is_first);
        }
        self.count = count;
        repeated
    }
}

/// Room for one more than `used` entries.
fn make_room<T: Clone + Default>(list: &mut Vec<T>, used: usize) {
    if list.len() <= used {
        list.resize(used + used / 4 + 1, T::default());
    }
}
