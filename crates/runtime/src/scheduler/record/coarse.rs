//! Very fine forks, which are counted and not timed.
//!
//! A fork takes a few nanoseconds, and timing its strands takes a hundred. So if the first closure
//! of a join took less than [`LIMIT`] in all, and the second ones of this site have not been much
//! larger than the first so far, the second is timed as a whole. The forks of the same site in it
//! are counted, without a reading of the clock. In the dag it is one strand, which takes as long as
//! it took. Its span is that of the last task of the site with as many forks that was timed, in
//! proportion to its work.
//!
//! If the second closure forks much more often than the first did, forks at another site, opens a
//! scope or enters a pool, it is recorded in full from there on, and the site is not trusted again.
//! The joins that were open at that moment are missing in its task: what they would have run in
//! parallel stands there one after the other.

use core::cell::Cell;

use super::class::{ByHash, ClassKey, Sums, mix};
use super::clock::Ticks;
use super::root::Origin;
use super::task::Summary;

/// The most work of a first closure, in nanoseconds, after which the second is not timed in detail.
pub(super) const LIMIT: u64 = 4000;

/// How many joins in a row must have had a second closure of about the size of the first.
const TRUSTED: i32 = 64;
/// A site that has deceived is not trusted again.
const NEVER: i32 = i32::MIN / 2;

thread_local! {
    static COUNTING: Counting = const {
        Counting {
            key: Cell::new(0),
            left: Cell::new(0),
            origin: Cell::new(Origin::NONE),
        }
    };
}

/// The site whose forks this thread counts, zero if none, and how many more it may count.
struct Counting {
    key: Cell<u64>,
    left: Cell<u32>,
    /// What a thief is told of them.
    origin: Cell<Origin>,
}

/// Counts a fork of that key, if forks of it are counted.
#[inline(always)]
pub(super) fn counts(key: u64) -> bool {
    COUNTING.with(|counting| {
        let left = counting.left.get();
        let counts = counting.key.get() == key && left > 0;
        if counts {
            counting.left.set(left - 1);
        }
        counts
    })
}

/// What a thief is told of a fork that was counted.
#[inline]
pub(super) fn origin() -> Origin {
    COUNTING.with(|counting| counting.origin.get())
}

/// A second closure that is timed as a whole.
#[derive(Clone, Copy)]
pub(super) struct Coarse {
    origin: Origin,
    key: u64,
    budget: u32,
}

impl Coarse {
    /// Begins, after a first closure with that many forks.
    pub(super) fn begin(key: u64, origin: Origin, forks_of_first: u64) -> Self {
        let budget = u32::try_from(8 * (forks_of_first + 1)).unwrap_or(u32::MAX);
        COUNTING.with(|counting| {
            counting.key.set(key);
            counting.left.set(budget);
            counting.origin.set(origin);
        });
        Self {
            origin,
            key,
            budget,
        }
    }

    pub(super) fn site(self) -> u32 {
        self.origin.site
    }

    /// Ends: how many forks were counted.
    pub(super) fn end(self) -> u64 {
        COUNTING.with(|counting| {
            counting.key.set(0);
            u64::from(self.budget - counting.left.get())
        })
    }

    /// Stops for a job on top: how many may still be counted.
    pub(super) fn pause() -> u32 {
        COUNTING.with(|counting| {
            counting.key.set(0);
            counting.left.get()
        })
    }

    pub(super) fn resume(self, left: u32) {
        COUNTING.with(|counting| {
            counting.key.set(self.key);
            counting.left.set(left);
            counting.origin.set(self.origin);
        });
    }
}

/// What a thread knows of its sites.
#[derive(Default)]
pub(super) struct Experience {
    trust: Vec<i32>,
    /// By site and forks, what the last task measured that was timed.
    tasks: ByHash<ClassKey, Sums>,
}

impl Experience {
    fn trust(&mut self, site: u32) -> &mut i32 {
        let index = site as usize;
        if index >= self.trust.len() {
            self.trust.resize(index + 1, 0);
        }
        &mut self.trust[index]
    }

    /// Whether a second closure may be taken as a whole.
    #[inline]
    pub(super) fn trusts(&mut self, site: u32) -> bool {
        *self.trust(site) >= TRUSTED
    }

    /// A small task that the site forked was timed.
    #[inline]
    pub(super) fn timed(&mut self, site: u32, task: &Summary) {
        self.tasks.insert(key(site, task.sums.forks), task.sums);
    }

    /// A join of which the first closure was small. Both were timed.
    #[inline]
    pub(super) fn joined(&mut self, site: u32, first: &Summary, second: &Summary) {
        let trust = self.trust(site);
        if second.sums.work <= first.sums.work.saturating_mul(2) {
            *trust = (*trust + 1).min(TRUSTED);
        } else if *trust > 0 {
            *trust /= 2;
        }
    }

    /// A second closure was not what the first promised.
    pub(super) fn deceived(&mut self, site: u32) {
        *self.trust(site) = NEVER;
    }

    /// What a task with that work and those forks measures, as far as one like it was timed.
    pub(super) fn like(&self, site: u32, work: Ticks, forks: u64) -> Sums {
        let timed = self.tasks.get(&key(site, forks));
        let share = |part: fn(&Sums) -> Ticks| {
            let share = |sums: &Sums| {
                let scaled = u128::from(part(sums)) * u128::from(work);
                (scaled / u128::from(sums.work.max(1))) as Ticks
            };
            timed.map_or(work, share).min(work)
        };
        Sums {
            work,
            span: share(|sums| sums.span),
            path: share(|sums| sums.path),
            forks,
        }
    }
}

fn key(site: u32, forks: u64) -> ClassKey {
    let sums = Sums {
        forks,
        ..Sums::default()
    };
    ClassKey::new(mix(1, site.into()), &sums, 4)
}
