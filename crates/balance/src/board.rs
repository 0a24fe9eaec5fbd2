//! What a thread may know of the servers without the dispatcher: one line for each, which the
//! thread that has the dispatcher keeps up to date.
//!
//! Lines are read while they are written. Each is a hint, but a number and the generation with it
//! are one word: a reader never takes a server for another one.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A server that a request may go to although the policy was not asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) slot: u32,
    pub(crate) generation: NonZero<u32>,
    pub(crate) outstanding: u32,
    speed: f64,
}

/// The lines of all slots, in blocks that double in length and stay where they are.
#[derive(Debug, Default)]
pub(crate) struct Board {
    blocks: [OnceLock<Box<[Line]>>; BLOCKS],
    /// How many slots have lines.
    lines: AtomicU32,
    /// Grows with each choice, for other random numbers.
    choices: AtomicU64,
    /// How many requests were sent by the board that the dispatcher has not counted yet.
    uncounted: AtomicU32,
}

#[derive(Debug, Default)]
struct Line {
    /// The generation in the upper half, and the number of requests; 0 if no request may go there.
    server: AtomicU64,
    /// The bits of the speed.
    speed: AtomicU64,
}

const FIRST_BLOCK: u32 = 64;
const BLOCKS: usize = 27;

/// How many lines a choice reads to find two servers that it may go to.
const LOOKS: u32 = 16;

/// How many lines it reads after that, if it has found none.
const SCANNED: u64 = 64;

/// So many requests may be uncounted. A thread that has the dispatcher counts what others send
/// meanwhile; if nobody ever had to wait for it, they could send faster than it counts, and it
/// would never be done.
const MOST_UNCOUNTED: u32 = 64;

impl Board {
    /// Writes down how many requests the server in this slot has, and its speed.
    #[inline]
    pub(crate) fn show(&self, slot: u32, generation: NonZero<u32>, outstanding: u32, speed: f64) {
        let line = self.line(slot);
        // Ordering: lines are hints, and no other data is read because of them.
        line.server
            .store(packed(generation, outstanding), Ordering::Relaxed);
        line.speed.store(speed.to_bits(), Ordering::Relaxed);
    }

    /// Nothing may go to the server in this slot without the policy.
    #[inline]
    pub(crate) fn hide(&self, slot: u32) {
        // Ordering: as in `show`.
        self.line(slot).server.store(0, Ordering::Relaxed);
    }

    /// There is a slot with this number now. Slots are announced in the order of their numbers.
    pub(crate) fn add(&self, slot: u32) {
        let (block, _) = place(slot);
        self.blocks[block].get_or_init(|| {
            let lines = (FIRST_BLOCK as usize) << block;
            (0..lines).map(|_| Line::default()).collect()
        });
        // Ordering: Release pairs with the Acquire in `choose`, which then finds the block.
        self.lines.fetch_max(slot + 1, Ordering::Release);
    }

    /// Of two servers at random, the one with the shorter expected delay, as it was before this
    /// request. The dispatcher is to [count](Self::counted) it.
    pub(crate) fn choose(&self, now: u64) -> Option<Seen> {
        // Ordering: a number that bounds another one; what it counts is told in other ways.
        if self.uncounted.fetch_add(1, Ordering::Relaxed) < MOST_UNCOUNTED {
            let chosen = self.better_of_two(now);
            if chosen.is_some() {
                return chosen;
            }
        }
        self.counted();
        None
    }

    /// The dispatcher knows of a request that was sent by the board, or there was none.
    pub(crate) fn counted(&self) {
        // Ordering: as in `choose`.
        self.uncounted.fetch_sub(1, Ordering::Relaxed);
    }

    fn better_of_two(&self, now: u64) -> Option<Seen> {
        // Ordering: Acquire pairs with the Release in `add`.
        let lines = self.lines.load(Ordering::Acquire);
        // Ordering: it only has to differ from choice to choice.
        let choice = self.choices.fetch_add(1, Ordering::Relaxed);
        let mut found = None;
        for look in 0..u64::from(LOOKS) {
            let random = mixed(now ^ mixed((choice << 4) | look));
            let slot = ((u128::from(random) * u128::from(lines)) >> 64) as u32;
            match (self.seen(slot, lines), found) {
                (None, _) => {}
                (one, None) => found = one,
                (Some(one), Some(other)) => {
                    let better = one.or_better(other);
                    if self.claim(&better) {
                        return Some(better);
                    }
                    found = None;
                }
            }
        }
        match found {
            Some(only) => self.claim(&only).then_some(only),
            None => self.any_of_some(mixed(choice), lines),
        }
    }

    /// Few servers are shown: the first that is found from a line at random on.
    fn any_of_some(&self, random: u64, lines: u32) -> Option<Seen> {
        let lines = u64::from(lines);
        let slots = (0..lines.min(SCANNED)).map(|at| ((random % lines + at) % lines) as u32);
        let mut seen = slots.filter_map(|slot| self.seen(slot, lines as u32));
        seen.find(|seen| self.claim(seen))
    }

    /// Counts the request on the board until the dispatcher does, so that others see it. Fails if
    /// the line has changed.
    fn claim(&self, seen: &Seen) -> bool {
        let line = &self.line(seen.slot).server;
        let before = packed(seen.generation, seen.outstanding);
        // Ordering: as in `show`.
        let claimed =
            line.compare_exchange(before, before + 1, Ordering::Relaxed, Ordering::Relaxed);
        claimed.is_ok()
    }

    fn seen(&self, slot: u32, lines: u32) -> Option<Seen> {
        if slot >= lines {
            return None;
        }
        let line = self.line(slot);
        // Ordering: as in `show`.
        let server = line.server.load(Ordering::Relaxed);
        Some(Seen {
            slot,
            generation: NonZero::new((server >> 32) as u32)?,
            outstanding: server as u32,
            speed: f64::from_bits(line.speed.load(Ordering::Relaxed)),
        })
    }

    #[inline]
    fn line(&self, slot: u32) -> &Line {
        let (block, at) = place(slot);
        let lines = self.blocks[block].get();
        &lines.expect("slots are added before they are used")[at]
    }
}

impl Seen {
    fn or_better(self, other: Self) -> Self {
        let rate = |it: &Self| it.speed / (f64::from(it.outstanding) + 1.0);
        if rate(&other) > rate(&self) {
            other
        } else {
            self
        }
    }
}

/// The word of a line.
#[inline]
fn packed(generation: NonZero<u32>, outstanding: u32) -> u64 {
    (u64::from(generation.get()) << 32) | u64::from(outstanding)
}

/// In which block a slot's line is, and where.
#[inline]
fn place(slot: u32) -> (usize, usize) {
    let at = u64::from(slot) + u64::from(FIRST_BLOCK);
    let block = at.ilog2() - FIRST_BLOCK.ilog2();
    (
        block as usize,
        (at - (u64::from(FIRST_BLOCK) << block)) as usize,
    )
}

/// Looks random: the finalizer of splitmix64 (Steele, Lea and Flood 2014).
fn mixed(from: u64) -> u64 {
    let mut it = from.wrapping_add(0x9e37_79b9_7f4a_7c15);
    it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: NonZero<u32> = NonZero::<u32>::MIN;

    fn board(slots: u32) -> Board {
        let board = Board::default();
        (0..slots).for_each(|slot| board.add(slot));
        board
    }

    #[test]
    fn every_slot_has_a_place_of_its_own() {
        let mut next = (0, 0);
        for slot in 0..10_000 {
            assert_eq!(place(slot), next);
            next.1 += 1;
            if next.1 == (FIRST_BLOCK as usize) << next.0 {
                next = (next.0 + 1, 0);
            }
        }
        assert!(place(u32::MAX - 1).0 < BLOCKS);
    }

    #[test]
    fn hidden_servers_are_not_chosen() {
        let board = board(200);
        assert!(board.choose(1).is_none());
        (0..200).for_each(|slot| board.show(slot, ONE, 0, 1.0));
        (0..200)
            .filter(|slot| slot % 2 == 0)
            .for_each(|slot| board.hide(slot));
        for now in 0..1000 {
            assert!(board.choose(now).is_none_or(|seen| seen.slot % 2 == 1));
        }
    }

    #[test]
    fn the_only_one_is_found() {
        let board = board(60);
        board.show(33, ONE, 7, 1.0);
        for now in 0..1000 {
            let chosen = board.choose(now).unwrap();
            assert_eq!((chosen.slot, chosen.outstanding), (33, 7));
            board.show(33, ONE, 7, 1.0);
            board.counted();
        }
    }

    /// Requests see one another, and there are only so many.
    #[test]
    fn choices_are_bounded_and_spread() {
        let board = board(8);
        (0..8).for_each(|slot| board.show(slot, ONE, 0, 1.0));
        let chosen: Vec<_> = (0..MOST_UNCOUNTED)
            .map(|now| board.choose(now.into()))
            .collect();
        let chosen: Vec<_> = chosen.into_iter().map(|it| it.unwrap().slot).collect();
        for slot in 0..8 {
            let count = chosen.iter().filter(|it| **it == slot).count();
            assert!((5..12).contains(&count), "{chosen:?}");
        }
        assert!(board.choose(0).is_none());
        board.counted();
        assert!(board.choose(0).is_some());
        assert!(board.choose(0).is_none());
    }

    /// With two choices an empty server among n has 1 - (1 - 1/n)² of the requests.
    #[test]
    fn the_better_of_two_is_chosen() {
        let board = board(10);
        (0..10).for_each(|slot| board.show(slot, ONE, 3, 1.0));
        board.show(4, ONE, 0, 0.5); // 0.5 beats 1 / 4
        board.show(5, ONE, 3, 0.1);
        let mut counts = [0_u32; 10];
        for now in 0..100_000 {
            let chosen = board.choose(now * 1000).unwrap();
            board.show(chosen.slot, ONE, chosen.outstanding, chosen.speed);
            board.counted();
            counts[chosen.slot as usize] += 1;
        }
        // 19 % and 1 %; the standard deviations are 124 and 31.
        assert!(counts[4].abs_diff(19_000) < 700, "{counts:?}");
        assert!(counts[5].abs_diff(1_000) < 180, "{counts:?}");
    }
}
