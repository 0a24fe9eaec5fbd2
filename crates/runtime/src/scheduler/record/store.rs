//! What all threads have recorded.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use filch_profile::{Measures, Section, SiteId, Task, TaskId, Usage};

use super::class::{ByHash, ClassKey, Sums};
use super::clock::{Rate, Ticks, now};
use super::sites::Sites;
use super::state::State;
use super::stretches::{self, Ran, Stretches};
use super::task::{Step, Summary, TaskRef};
use super::timeline::Timeline;

/// How many binary digits classes agree in at first: a tolerance of 1.6 %.
const DIGITS: u32 = 6;
/// How many tasks are kept at that tolerance. Then it doubles, and doubles again after half as many
/// more, and so on. Of twice as many tasks, those that follow have no steps of their own: some
/// hundred stand for all of them.
const TASKS: usize = 1 << 19;

static STORE: Mutex<Option<Box<Store>>> = Mutex::new(None);
/// The recording that is under way; zero if none is.
static EPOCH: AtomicU64 = AtomicU64::new(0);
static STRETCHES: AtomicU32 = AtomicU32::new(0);
static CURRENT_DIGITS: AtomicU32 = AtomicU32::new(DIGITS);

/// The recording that is under way; zero if none is.
#[inline]
pub(super) fn epoch() -> u64 {
    // Ordering: Acquire pairs with the Release store in `Store::begin`: what a thread records goes
    // into the store of this recording.
    EPOCH.load(Ordering::Acquire)
}

pub(super) fn digits() -> u32 {
    // Ordering: Relaxed, since any value that it had gives correct classes.
    CURRENT_DIGITS.load(Ordering::Relaxed)
}

/// The number of a stretch that begins, if it is kept.
pub(super) fn next_stretch() -> Option<u32> {
    // Ordering: Relaxed, a number that no other stretch has.
    let number = STRETCHES.fetch_add(1, Ordering::Relaxed);
    if number < stretches::MOST {
        return Some(number);
    }
    // It counts how many there were, and must not wrap.
    if number > u32::MAX / 2 {
        STRETCHES.store(u32::MAX / 2, Ordering::Relaxed);
    }
    None
}

#[derive(Default)]
pub(super) struct Store {
    epoch: u64,
    pub(super) rate: Option<Rate>,
    pub(super) timeline: Timeline,
    classes: ByHash<ClassKey, u32>,
    pub(super) tasks: Vec<(Task, Measures)>,
    /// When there are as many tasks, the tolerance doubles: for the first time, and next.
    first_limit: usize,
    limit: usize,
    pub(super) sites: Sites,
    pub(super) sections: Vec<Section>,
    pub(super) stretches: Stretches,
    /// The widest pool that was used.
    pub(super) threads: u32,
    /// What recording took on all threads.
    pub(super) spent: Ticks,
    /// What preparing and writing the recording used of the processor, as far as the program waited
    /// for it.
    pub(super) of_recorder: Usage,
}

/// What a thread has counted, for each site and in all, since it last told the store.
#[derive(Default)]
pub(super) struct Counts {
    by_site: Vec<(u64, u64)>,
    /// What recording took.
    pub(super) spent: Ticks,
}

impl Counts {
    #[inline]
    fn at(&mut self, site: u32) -> &mut (u64, u64) {
        let index = site as usize;
        if index >= self.by_site.len() {
            self.by_site.resize(index + 1, (0, 0));
        }
        &mut self.by_site[index]
    }

    #[inline]
    pub(super) fn forked(&mut self, site: u32, times: u64) {
        self.at(site).0 += times;
    }

    pub(super) fn stolen(&mut self, site: u32) {
        self.at(site).1 += 1;
    }
}

impl Store {
    pub(super) fn with<R>(work: impl FnOnce(&mut Self) -> R) -> R {
        let mut store = STORE.lock().unwrap_or_else(PoisonError::into_inner);
        work(store.get_or_insert_default())
    }

    /// Begins a recording with an empty store.
    pub(super) fn begin() {
        static EPOCHS: AtomicU64 = AtomicU64::new(0);
        let rate = Rate::get();
        Self::with(|store| {
            // Ordering: Relaxed, by the lock of the store.
            let epoch = EPOCHS.fetch_add(1, Ordering::Relaxed) + 1;
            *store = Self {
                epoch,
                rate: Some(rate),
                timeline: Timeline::from(now()),
                first_limit: TASKS,
                limit: TASKS,
                tasks: vec![Default::default()],
                ..Self::default()
            };
            STRETCHES.store(0, Ordering::Relaxed);
            CURRENT_DIGITS.store(DIGITS, Ordering::Relaxed);
            // Ordering: Release pairs with the load in `epoch`.
            EPOCH.store(epoch, Ordering::Release);
        });
    }

    /// Ends the recording, and returns what was recorded.
    pub(super) fn end() -> Box<Self> {
        let mut store = STORE.lock().unwrap_or_else(PoisonError::into_inner);
        EPOCH.store(0, Ordering::Release);
        store.take().unwrap_or_default()
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(super) fn rate(&self) -> Rate {
        self.rate.unwrap_or_else(Rate::get)
    }

    /// The task that stands for all of this class: this one, if it is the first.
    pub(super) fn intern(&mut self, key: ClassKey, steps: &[Step], sums: &Sums) -> u32 {
        if let Some(known) = self.classes.get(&key) {
            return *known;
        }
        let measures = self.measures(sums);
        let number = self.tasks.len() as u32;
        if self.tasks.len() < 2 * self.first_limit {
            let step = |step: &Step| self.step(*step);
            let task = Task::new(steps.iter().map(step).collect());
            self.tasks.push((task, measures));
            self.classes.insert(key, number);
        } else {
            let key = ClassKey::new(0, sums, 0);
            if let Some(known) = self.classes.get(&key) {
                return *known;
            }
            let task = Task::new(vec![filch_profile::Step::Work(measures.work)]);
            self.tasks.push((task, measures));
            self.classes.insert(key, number);
        }
        if self.tasks.len() >= self.limit {
            self.widen();
        }
        number
    }

    /// There are many tasks: from now on fewer are told apart.
    fn widen(&mut self) {
        let digits = CURRENT_DIGITS.load(Ordering::Relaxed).saturating_sub(1);
        CURRENT_DIGITS.store(digits, Ordering::Relaxed);
        self.limit += self.first_limit >> (DIGITS - digits);
    }

    pub(super) fn measures(&self, sums: &Sums) -> Measures {
        let rate = self.rate();
        Measures {
            work: rate.duration(sums.work),
            span: rate.duration(sums.span),
            path: rate.duration(sums.path),
            forks: sums.forks,
        }
    }

    fn step(&self, step: Step) -> filch_profile::Step {
        use filch_profile::Step as Recorded;
        match step {
            Step::Work(ticks) => Recorded::Work(self.rate().duration(ticks)),
            Step::Join {
                site,
                first,
                second,
            } => Recorded::Join {
                site: SiteId(site),
                first: self.task_id(first),
                second: self.task_id(second),
            },
            Step::Scope { site, body } => Recorded::Scope {
                site: SiteId(site),
                body: self.task_id(body),
            },
            Step::Spawn { site, child } => Recorded::Spawn {
                site: SiteId(site),
                child: self.task_id(child),
            },
        }
    }

    /// A task of which nothing is known is an empty one: the first of all.
    fn task_id(&self, task: TaskRef) -> TaskId {
        match task.number() {
            Err(number) if (number as usize) < self.tasks.len() => TaskId(number),
            _ => TaskId(0),
        }
    }

    pub(super) fn count(&mut self, counts: &mut Counts) {
        self.spent += core::mem::take(&mut counts.spent);
        for (site, (forks, steals)) in counts.by_site.iter_mut().enumerate() {
            self.sites
                .count(site as u32, core::mem::take(forks), core::mem::take(steals));
        }
    }

    /// Adds a stretch that has ended on the thread of `state`.
    pub(super) fn add_stretch(&mut self, number: u32, state: &State, ran: &Ran) {
        if state.epoch() == self.epoch {
            self.stretches.ended(number, state.thread, ran);
        }
    }

    /// Adds a section that has ended.
    pub(super) fn add_section(&mut self, ran: &RanSection, root: &Summary) {
        let left = self.timeline.at(ran.left, self.rate());
        // It went on while another thread wrote.
        let took = self.rate().duration(ran.left.saturating_sub(ran.entered));
        let section = Section {
            site: SiteId(ran.site),
            entered: left - took,
            left,
            caller: ran.caller,
            is_awaited: ran.is_awaited,
            root: self.task_id(root.task),
            measures: self.measures(&root.sums),
            steals: root.steals,
        };
        self.sections.push(section);
    }

    pub(super) fn tolerance(&self) -> f64 {
        0.5f64.powi(digits() as i32)
    }

    /// How many stretches are kept, of how many.
    pub(super) fn stretches_kept(&self, kept: usize) -> (u64, u64) {
        (
            kept as u64,
            STRETCHES.load(Ordering::Relaxed).max(kept as u32).into(),
        )
    }
}

/// A section, in ticks.
#[derive(Clone, Copy)]
pub(super) struct RanSection {
    pub(super) site: u32,
    pub(super) entered: Ticks,
    pub(super) left: Ticks,
    pub(super) caller: u32,
    pub(super) is_awaited: bool,
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::super::tests::alone;
    use super::*;

    /// However different tasks are, so many are kept and not many more.
    #[test]
    fn the_store_is_bounded() {
        let _alone = alone();
        const FIRST: usize = 1000;
        let mut store = Store {
            first_limit: FIRST,
            limit: FIRST,
            tasks: vec![Default::default()],
            ..Store::default()
        };
        CURRENT_DIGITS.store(DIGITS, Ordering::Relaxed);
        let mut seen = vec![store.tolerance()];
        for number in 1..200_000u64 {
            let sums = Sums {
                work: number * number,
                span: number,
                path: number,
                forks: number % 7,
            };
            let steps = [Step::Work(number)];
            let key = ClassKey::new(number % 100, &sums, digits());
            let task = store.intern(key, &steps, &sums);
            assert_eq!(
                store.intern(key, &[], &sums),
                task,
                "it is kept under its key"
            );
            if seen.last() != Some(&store.tolerance()) {
                seen.push(store.tolerance());
            }
        }
        let tolerance = store.tolerance();
        CURRENT_DIGITS.store(DIGITS, Ordering::Relaxed);
        assert!(store.tasks.len() > FIRST);
        assert!(
            store.tasks.len() < 2 * FIRST + 1000,
            "{}",
            store.tasks.len()
        );
        assert!(seen.is_sorted() && seen.windows(2).all(|two| two[1] == 2.0 * two[0]));
        assert_eq!(tolerance, 1.0);
    }
}
