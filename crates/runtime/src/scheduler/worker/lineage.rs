//! The stolen jobs on a worker's stack, and what each of them is below.
//!
//! A worker may help only with what is *below* the child that it waits for. To find out, every
//! stolen job that runs has a [`Root`]: the latch that it will set, and the root of the job that
//! forked it. The roots of all workers form a forest, in which a job is below a latch if one of its
//! ancestors will set that latch. A worker keeps its roots in a stack of its own, which other
//! workers read.
//!
//! **Which root a job belongs to.** What lies in a deque was forked by the innermost job that had
//! begun when it was pushed. So each root has a *base*, the position of the deque at which it
//! began, and a job at position p belongs to the innermost root whose base is below p. While the
//! job is in the deque, the frame that forked it has not returned: that root, and all above it,
//! stay where they are. Newer roots come and go meanwhile, all with bases at p or beyond.
//!
//! **How far up.** A root knows its *generation*, the number of its ancestors and itself. A waiting
//! worker knows the generation that its child has, one more than its own, so one ancestor has to be
//! looked at, the one of that generation. Besides its parent, a root has a *jump*: an
//! ancestor further up, chosen as in Myers's skew-binary lists (An applicative random-access
//! stack, 1983), so that a climb over n generations takes O(log n) steps, and a new root O(1).
//!
//! **Reading what others write.** Entries are never freed while the pool lives, and a version tells
//! whether an entry is still the root that was meant. A reader that finds another version concludes
//! that the job is not below, which is right: it is gone from the deque. When a steal under a
//! condition succeeds, the job was in the deque for as long as the condition was evaluated, so all
//! that was read stood still.

#[cfg(all(test, not(shuttle)))]
mod tests;

use core::ptr;
use std::sync::OnceLock;

use filch_deque::Position;

use crate::latch::Latch;
pub(crate) use crate::root::Origin;
use crate::root::{Entry, Root};
use crate::scheduler::pool::Seats;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The roots of one worker, the innermost last.
pub(crate) struct Lineage {
    len: AtomicUsize,
    /// How many roots there have ever been: the version of the newest.
    versions: AtomicU64,
    first: [Entry; FIRST],
    /// Each as large as all before it.
    more: [OnceLock<Box<[Entry]>>; CHUNKS],
}

/// Enough for most programs: what is beyond has to be allocated.
const FIRST: usize = 8;
const CHUNKS: usize = 28;

impl Root {
    fn child_of(parent: Origin, latch: *mut Latch, seats: &Seats) -> Self {
        let read = |origin| Self::read(origin, seats).unwrap_or(Self::NONE);
        let above = read(parent);
        let further = read(above.jump);
        let step = above.generation - further.generation;
        // Two jumps of one length become one of twice that and one more.
        let jump = if step == further.generation - read(further.jump).generation {
            further.jump
        } else {
            parent
        };
        Self {
            latch,
            generation: above.generation + 1,
            parent,
            jump,
        }
    }

    /// `None` if it is not there any more, or never was.
    fn read(origin: Origin, seats: &Seats) -> Option<Self> {
        if origin.is_none() {
            return None;
        }
        let lineage = &seats.get(origin.seat as usize)?.lineage;
        lineage.entry(origin.entry as usize)?.read(origin.version)
    }
}

impl Lineage {
    pub(super) fn new() -> Self {
        Self {
            len: AtomicUsize::new(0),
            versions: AtomicU64::new(0),
            first: Default::default(),
            more: [const { OnceLock::new() }; CHUNKS],
        }
    }

    fn entry(&self, index: usize) -> Option<&Entry> {
        match self.first.get(index) {
            Some(entry) => Some(entry),
            None => {
                let (chunk, offset) = beyond_first(index);
                self.more[chunk].get()?.get(offset)
            }
        }
    }

    /// The worker of this seat begins with a stolen job that will set `latch` and was forked by
    /// `parent`, or with one that is below nothing if the latch is null. Its deque is at `base`.
    pub(super) fn push(&self, latch: *mut Latch, parent: Origin, base: Position, seats: &Seats) {
        let root = if latch.is_null() {
            Root::NONE
        } else {
            Root::child_of(parent, latch, seats)
        };
        // Ordering: only the worker of this seat writes these two.
        let len = self.len.load(Ordering::Relaxed);
        let version = self.versions.load(Ordering::Relaxed) + 1;
        self.versions.store(version, Ordering::Relaxed);
        if len >= FIRST {
            let (chunk, _) = beyond_first(len);
            self.more[chunk]
                .get_or_init(|| (0..FIRST << chunk).map(|_| Entry::default()).collect());
        }
        let entry = self.entry(len).expect("there is room by now");
        entry.write(root, base.number(), version);
        // Ordering: Release, so that a thief that sees a job pushed after this (through `bottom` or
        // `public`) sees the root counted. It also pairs with the Acquire load in `origin`.
        self.len.store(len + 1, Ordering::Release);
    }

    /// The worker of this seat has ended the job that it began last.
    pub(super) fn pop(&self) {
        // Ordering: only the worker of this seat writes it. The entry is overwritten later.
        let len = self.len.load(Ordering::Relaxed);
        self.len.store(len - 1, Ordering::Release);
    }

    /// What the worker of seat `seat` runs at present: what it forks now will have this origin.
    pub(super) fn innermost(&self, seat: usize) -> Origin {
        self.origin(seat, |_| true)
    }

    /// Where the job at `position` of the deque of seat `seat` was forked.
    pub(super) fn origin_at(&self, seat: usize, position: Position) -> Origin {
        self.origin(seat, |base| base < position.number())
    }

    fn origin(&self, seat: usize, covers: impl Fn(usize) -> bool) -> Origin {
        // Ordering: Acquire pairs with the Release store in `push`.
        let len = self.len.load(Ordering::Acquire);
        for index in (0..len).rev() {
            let Some(entry) = self.entry(index) else {
                continue;
            };
            if covers(entry.base()) {
                return entry.origin(seat, index);
            }
        }
        Origin::NONE
    }

    /// What tells this job from all others that this worker runs.
    #[inline]
    pub(super) fn version(&self) -> u64 {
        match self.len.load(Ordering::Relaxed).checked_sub(1) {
            Some(last) => self.entry(last).map_or(0, Entry::version),
            None => 0,
        }
    }
}

/// The chunk of an entry beyond the first ones, and its place there.
fn beyond_first(index: usize) -> (usize, usize) {
    let chunk = (index / FIRST).ilog2() as usize;
    (chunk, index - (FIRST << chunk))
}

/// How many generations a job forked by `origin` has above it.
pub(super) fn generation(origin: Origin, seats: &Seats) -> usize {
    Root::read(origin, seats).map_or(0, |root| root.generation)
}

/// Whether a job forked by `origin` is below the job of that generation which will set `latch`.
pub(super) fn is_below(
    origin: Origin,
    latch: *const Latch,
    generation: usize,
    seats: &Seats,
) -> bool {
    let nearest = climb(origin, generation, seats).last();
    nearest.is_some_and(|root| root.generation == generation && ptr::eq(root.latch, latch))
}

/// The roots that are looked at on the way from `origin` up to the one of that generation.
fn climb(origin: Origin, generation: usize, seats: &Seats) -> impl Iterator<Item = Root> {
    let up = move |root: &Root| {
        if root.generation <= generation {
            return None;
        }
        let jump = Root::read(root.jump, seats).filter(|jump| jump.generation >= generation);
        jump.or_else(|| Root::read(root.parent, seats))
    };
    core::iter::successors(Root::read(origin, seats), up)
}

/// The latches that the jobs above a fork of `origin` will set, the nearest first.
pub(super) fn latches_above(origin: Origin, seats: &Seats) -> impl Iterator<Item = *mut Latch> {
    let parent = |root: &Root| Root::read(root.parent, seats);
    core::iter::successors(Root::read(origin, seats), parent).map(|root| root.latch)
}
