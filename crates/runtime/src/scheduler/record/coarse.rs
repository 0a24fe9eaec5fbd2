//! Very fine forks, which are counted and not timed.
//!
//! A fork takes a few nanoseconds, and timing its strands takes a hundred. So if the first closure
//! of a join took less than [`LIMIT`] in all, and the second ones of this site have not been much
//! larger than the first so far, the second is timed as a whole. The forks of the same site in it
//! are counted, without a reading of the clock. Its span is that of the last task of the site with
//! as many forks that was timed, in proportion to its work. In the dag it is divided into equal
//! strands that have this work and about this span.
//!
//! If the second closure forks much more often than the first did, forks at another site, opens a
//! scope or enters a pool, it is recorded in full from there on, and the site is not trusted again.
//! The joins that were open at that moment are missing in its task: what they would have run in
//! parallel stands there one after the other.

use super::class::{ByHash, ClassKey, Sums, mix};
use super::clock::Ticks;
use super::counted::{self, Forker};
use super::table::Table;
use super::task::{Step, Summary};

/// The most work of a first closure, in nanoseconds, after which the second is not timed in detail.
pub(super) const LIMIT: u64 = 16_000;

/// How many joins must have had a second closure that was small too, or of about the size of the
/// first.
const TRUSTED: i32 = 64;
/// The shortest strand into which a task is divided, in ticks.
const SHORTEST: Ticks = 64;
/// A site that has deceived is not trusted again.
const NEVER: i32 = i32::MIN / 2;

/// A second closure that is timed as a whole.
#[derive(Clone, Copy)]
pub(super) struct Coarse {
    forker: Forker,
    key: u64,
    budget: u32,
}

impl Coarse {
    /// Begins, after a first closure with that many forks.
    pub(super) fn begin(key: u64, forker: Forker, forks_of_first: u64) -> Self {
        let budget = u32::try_from(8 * (forks_of_first + 1)).unwrap_or(u32::MAX);
        counted::begin(key, budget, forker);
        Self {
            forker,
            key,
            budget,
        }
    }

    pub(super) fn site(self) -> u32 {
        self.forker.site
    }

    /// Ends: how many forks were counted.
    pub(super) fn end(self) -> u64 {
        u64::from(self.budget - counted::end())
    }

    /// Stops for a job on top: how many may still be counted.
    pub(super) fn pause() -> u32 {
        counted::end()
    }

    pub(super) fn resume(self, left: u32) {
        counted::begin(self.key, left, self.forker);
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

    /// A join whose first closure worked for less than `limit`.
    #[inline]
    pub(super) fn joined(&mut self, site: u32, first: Ticks, second: Ticks, limit: Ticks) {
        let trust = self.trust(site);
        if second <= limit.max(first.saturating_mul(2)) {
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

/// How often a task is halved until its strands are as long as its span.
pub(super) fn levels(sums: &Sums) -> u32 {
    let strands = sums.work / sums.span.max(SHORTEST);
    strands.checked_ilog2().unwrap_or(0)
}

/// The only step of a task that is halved so often, at least once, by joins at that site.
pub(super) fn divided(table: &mut Table, digits: u32, site: u32, sums: &Sums, levels: u32) -> Step {
    let strand = (sums.work + (1 << levels >> 1)) >> levels;
    let mut half = Sums {
        work: strand,
        span: strand,
        path: strand,
        forks: 0,
    };
    let mut step = Step::Work(strand);
    for level in 1..=levels {
        let key = ClassKey::new(mix(0, step.shape()), &half, digits);
        let task = table.intern(key, &[step], &half);
        step = Step::join(site, task);
        half.work *= 2;
        half.forks = sums.forks >> (levels - level);
    }
    step
}

fn key(site: u32, forks: u64) -> ClassKey {
    let sums = Sums {
        forks,
        ..Sums::default()
    };
    ClassKey::new(mix(1, site.into()), &sums, 4)
}
