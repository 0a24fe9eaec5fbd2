//! What a thread records at present.

use core::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::class::{ClassKey, Sums, mix};
use super::clock::{Ticks, now};
use super::coarse::{self, Coarse, Experience};
use super::costs::Costs;
use super::counted::Forker;
use super::node::{Ended, Node, Slot};
use super::site::{SiteCache, SiteKey};
use super::store::{self, Counts, Store};
use super::table::Table;
use super::task::{Step, Summary, TaskRef};

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State::new());
}

/// The frames of the tasks that a thread is in, innermost last, and what it is to hand to the
/// store.
pub(super) struct State {
    /// The number of the thread.
    pub(super) thread: u32,
    /// The recording that the tables belong to.
    epoch: u64,
    /// How exactly classes are told apart.
    digits: u32,
    pub(super) costs: Costs,
    frames: Vec<Frame>,
    /// The steps of all frames, one after the other.
    steps: Vec<Step>,
    /// Whether the innermost frame is that of the code that runs: not while the thread runs a job
    /// that is not recorded, or waits.
    is_active: bool,
    /// If the innermost task is one whose forks are counted.
    coarse: Option<Coarse>,
    experience: Experience,
    /// Whether a strand of the innermost frame runs, since when, and what recording adds to it.
    strand: Option<Strand>,
    pub(super) stretch: CurrentStretch,
    table: Table,
    cache: SiteCache,
    pub(super) counts: Counts,
}

#[derive(Clone, Copy)]
struct Strand {
    since: Ticks,
    cost: Ticks,
}

/// A task that has begun.
struct Frame {
    /// The site that forked it.
    site: u32,
    first_step: usize,
    /// Of the strand that runs, or was interrupted.
    strand: Ticks,
    sums: Sums,
    steals: u64,
    shape: u64,
    /// If it has children that have not ended, or may have not.
    node: Option<Arc<Node>>,
}

/// The stretch that this thread is in.
#[derive(Clone, Copy, Default)]
pub(super) struct CurrentStretch {
    pub(super) number: Option<u32>,
    /// How long strands of it have run.
    pub(super) busy: Ticks,
}

/// What was interrupted by a job on top.
pub(super) struct Interrupted {
    was_active: bool,
    had_strand: bool,
    /// With how many forks that may still be counted.
    coarse: Option<(Coarse, u32)>,
}

/// How many strands recording adds to: what it costs is [measured](Costs) for each kind.
#[derive(Clone, Copy)]
pub(super) enum Begins {
    First,
    Second,
    AfterJoin,
    Other,
}

impl State {
    fn new() -> Self {
        static THREADS: AtomicU32 = AtomicU32::new(0);
        Self {
            // Ordering: Relaxed, a number that no other thread has.
            thread: THREADS.fetch_add(1, Ordering::Relaxed),
            epoch: 0,
            digits: 0,
            costs: Costs::default(),
            frames: Vec::new(),
            steps: Vec::new(),
            is_active: false,
            coarse: None,
            experience: Experience::default(),
            strand: None,
            stretch: CurrentStretch::default(),
            table: Table::default(),
            cache: SiteCache::default(),
            counts: Counts::default(),
        }
    }

    /// That of the current thread; none while the thread ends.
    #[inline]
    pub(super) fn with<R>(work: impl FnOnce(&mut Self) -> R) -> Option<R> {
        STATE.try_with(|state| work(&mut state.borrow_mut())).ok()
    }

    /// Begins a task that is no one's, whose forks are a site that is not in the store.
    pub(super) fn begin_trial(&mut self, key: &SiteKey) {
        self.cache.insert(key, Some(0), 0);
        // All forks are timed, and learnt from.
        self.costs.record_all();
        self.experience.deceived(0);
        self.begin(0, Begins::Other);
    }

    /// The work of the outermost task, without the strand that runs.
    pub(super) fn outermost_work(&self) -> Ticks {
        self.frames.first().map_or(0, |frame| frame.sums.work)
    }

    /// Whether what runs is recorded.
    #[inline]
    pub(super) fn is_active(&self) -> bool {
        self.is_active
    }

    pub(super) fn is_in_task(&self) -> bool {
        !self.frames.is_empty()
    }

    /// How many tasks the thread is in.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The site that forked what runs.
    fn enclosing(&self) -> Option<u32> {
        self.frames
            .last()
            .filter(|_| self.is_active)
            .map(|frame| frame.site)
    }

    /// The site with that key where the thread is.
    #[inline]
    pub(super) fn site(&mut self, key: &SiteKey) -> u32 {
        let enclosing = self.enclosing();
        let known = self.cache.get(key, enclosing);
        known.unwrap_or_else(|| self.cache.find(key, enclosing))
    }

    /// Joins a recording. False if the thread is still within an earlier one.
    pub(super) fn join_epoch(&mut self, epoch: u64) -> bool {
        if self.epoch != epoch {
            if self.is_in_task() {
                return false;
            }
            self.epoch = epoch;
            self.table.clear();
            self.cache = SiteCache::default();
            self.experience = Experience::default();
            self.counts = Counts::default();
            self.costs = Costs::get();
        }
        self.digits = store::digits();
        true
    }

    /// Interrupts what runs, for a job on top.
    pub(super) fn interrupt(&mut self) -> Interrupted {
        let interrupted = Interrupted {
            was_active: self.is_active,
            had_strand: self.strand.is_some(),
            coarse: self.coarse.take().map(|coarse| (coarse, Coarse::pause())),
        };
        if interrupted.had_strand {
            self.pause(now());
        }
        self.is_active = false;
        interrupted
    }

    pub(super) fn resume(&mut self, interrupted: Interrupted) {
        self.is_active = interrupted.was_active;
        if let Some((coarse, left)) = interrupted.coarse {
            coarse.resume(left);
            self.coarse = Some(coarse);
        }
        if interrupted.had_strand {
            self.run(Begins::Other);
        }
    }

    /// Begins a task that the site has forked.
    #[inline]
    pub(super) fn begin(&mut self, site: u32, begins: Begins) {
        self.enter(site);
        self.run(begins);
    }

    /// A task begins that the site has forked, and its first strand does not yet.
    #[inline]
    pub(super) fn enter(&mut self, site: u32) {
        self.frames.push(Frame {
            site,
            first_step: self.steps.len(),
            strand: 0,
            sums: Sums::default(),
            steals: 0,
            shape: 0,
            node: None,
        });
        self.is_active = true;
    }

    /// The innermost task, which the site has forked, is one that this thread has stolen.
    pub(super) fn stolen(&mut self, site: u32) {
        self.counts.stolen(site);
        if let Some(frame) = self.frames.last_mut() {
            frame.steals += 1;
        }
    }

    /// A strand of the innermost task begins or goes on. The clock is read here, and once more
    /// where the strand ends: what recording does in between is in no strand, however long it takes
    /// when a site is new, a table grows or a page is touched for the first time.
    #[inline]
    pub(super) fn run(&mut self, begins: Begins) {
        let cost = self.costs.of(begins);
        let since = now();
        self.strand = Some(Strand { since, cost });
    }

    /// A strand begins after one that ended at that time, and recording took what lies between.
    #[inline]
    pub(super) fn run_after(&mut self, ended: Ticks, begins: Begins) {
        self.run(begins);
        if let Some(strand) = self.strand {
            self.counts.spent += strand.since.saturating_sub(ended);
        }
    }

    /// The strand stops for now.
    #[inline]
    fn pause(&mut self, at: Ticks) {
        let Some(strand) = self.strand.take() else {
            return;
        };
        let ran = at.saturating_sub(strand.since);
        let cost = strand.cost.min(ran);
        self.stretch.busy += ran;
        self.counts.spent += cost;
        if let Some(frame) = self.frames.last_mut() {
            frame.strand += ran - cost;
        }
    }

    /// The strand ends.
    #[inline]
    pub(super) fn end_strand(&mut self, at: Ticks) {
        self.pause(at);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let ran = core::mem::take(&mut frame.strand);
        if ran > 0 {
            frame.sums.work += ran;
            frame.sums.path += ran;
            frame.shape = mix(frame.shape, Step::Work(ran).shape());
            self.steps.push(Step::Work(ran));
        }
    }

    /// Ends the innermost task. Its strand has ended.
    #[inline]
    pub(super) fn end(&mut self) -> Summary {
        let Some(frame) = self.frames.pop() else {
            return Summary::NOTHING;
        };
        let mut sums = frame.sums;
        sums.span = sums.span.max(sums.path);
        let steps = &self.steps[frame.first_step..];
        let summary = match frame.node {
            None => {
                let key = ClassKey::new(frame.shape, &sums, self.digits);
                Summary {
                    task: self.table.intern(key, steps, &sums),
                    sums,
                    steals: frame.steals,
                    node: None,
                }
            }
            Some(node) => {
                let ended = Ended {
                    steps: steps.to_vec(),
                    shape: frame.shape,
                    sums,
                    steals: frame.steals,
                };
                node.end(ended, &mut self.table, self.digits)
            }
        };
        self.steps.truncate(frame.first_step);
        summary
    }

    /// The job that the thread runs has ended. What lies below, if anything, is resumed.
    pub(super) fn leave_job(&mut self) {
        self.is_active = false;
    }

    /// Ends tasks until the thread is in `depth` of them. More than one, if code has unwound.
    pub(super) fn end_down_to(&mut self, depth: usize) {
        while self.frames.len() > depth {
            self.leave_coarse();
            let summary = self.end();
            drop(summary);
        }
    }

    /// Begins the second closure of a join, of that key, after the first, which ended at that time.
    #[inline]
    pub(super) fn begin_second(&mut self, site: u32, key: u64, first: &Summary, ended: Ticks) {
        self.enter(site);
        if first.sums.work < self.costs.coarse_limit() && first.node.is_none() {
            self.experience.timed(site, first);
            if self.experience.trusts(site) {
                let forker = self.forker(site);
                self.coarse = Some(Coarse::begin(key, forker, first.sums.forks));
            }
        }
        self.run_after(ended, Begins::Second);
    }

    /// This thread, for thieves of what the site forks.
    fn forker(&self, site: u32) -> Forker {
        Forker {
            // Recordings are counted: a wrong one would be that of four billion ago.
            epoch: self.epoch as u32,
            site,
            thread: self.thread,
            stretch: self.stretch.number.unwrap_or(u32::MAX),
        }
    }

    /// From now on the innermost task is recorded in full.
    #[inline]
    pub(super) fn leave_coarse(&mut self) {
        if self.coarse.is_some() {
            self.deceived();
        }
    }

    #[cold]
    fn deceived(&mut self) {
        let Some(coarse) = self.coarse.take() else {
            return;
        };
        let counted = coarse.end();
        self.experience.deceived(coarse.site());
        self.counts.forked(coarse.site(), counted);
        if let Some(frame) = self.frames.last_mut() {
            frame.sums.forks += counted;
        }
    }

    /// Ends the second closure of a join. Its strand has ended.
    #[inline]
    pub(super) fn end_second(&mut self, site: u32, first: &Summary) -> Summary {
        let second = match self.coarse.take() {
            Some(coarse) => self.end_coarse(coarse),
            None => self.end(),
        };
        let (first, limit) = (first.sums.work, self.costs.coarse_limit());
        if first < limit {
            self.experience.joined(site, first, second.sums.work, limit);
        }
        second
    }

    /// Ends a task whose forks were counted.
    fn end_coarse(&mut self, coarse: Coarse) -> Summary {
        let forks = coarse.end();
        self.counts.forked(coarse.site(), forks);
        let Some(frame) = self.frames.last_mut() else {
            return Summary::NOTHING;
        };
        let cost = self.costs.counted(forks, frame.sums.work);
        self.counts.spent += cost;
        let work = frame.sums.work - cost;
        let forks = frame.sums.forks + forks;
        let sums = self.experience.like(coarse.site(), work, forks);
        frame.sums = sums;
        self.steps.truncate(frame.first_step);
        let levels = coarse::levels(&sums);
        if levels == 0 {
            frame.shape = mix(0, Step::Work(work).shape());
            self.steps.push(Step::Work(work));
            return self.end();
        }
        let site = coarse.site();
        frame.shape = mix(0, Step::join(site, TaskRef::UNKNOWN).shape());
        // The steps of a class that is known are not looked at.
        if !self
            .table
            .knows(ClassKey::new(frame.shape, &sums, self.digits))
        {
            let step = coarse::divided(&mut self.table, self.digits, site, &sums, levels);
            self.steps.push(step);
        }
        self.end()
    }

    /// Forgets the innermost task.
    pub(super) fn discard(&mut self) {
        self.strand = None;
        if let Some(coarse) = self.coarse.take() {
            let counted = coarse.end();
            debug_assert_eq!(counted, 0, "it did not run");
        }
        if let Some(frame) = self.frames.pop() {
            self.steps.truncate(frame.first_step);
        }
    }

    /// The innermost task has joined two others.
    #[inline]
    pub(super) fn joined(&mut self, site: u32, first: Summary, second: Summary) {
        self.counts.forked(site, 1);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let step = Step::Join {
            site,
            first: first.task,
            second: second.task,
        };
        frame.shape = mix(frame.shape, step.shape());
        self.steps.push(step);
        frame.sums.forks += 1;
        let path = first.sums.path.max(second.sums.path);
        self.add_child(first, false);
        self.add_child(second, true);
        if let Some(frame) = self.frames.last_mut() {
            frame.sums.path += path;
        }
    }

    /// A job that the innermost task forked, and only counted, was run by a thief. The two are
    /// taken as a whole.
    pub(super) fn joined_stolen(&mut self, second: &Summary) {
        if let Some(frame) = self.frames.last_mut() {
            frame.strand += second.sums.work;
            frame.sums.forks += second.sums.forks;
            frame.steals += second.steals;
        }
    }

    /// The innermost task has run a scope, or called another pool.
    pub(super) fn scoped(&mut self, site: u32, body: Summary) {
        // Its last child may have ended since.
        let whole = body.node.as_ref().and_then(|node| node.outcome());
        let body = whole.unwrap_or(body);
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let step = Step::Scope {
            site,
            body: body.task,
        };
        frame.shape = mix(frame.shape, step.shape());
        self.steps.push(step);
        let span = body.sums.span;
        self.add_child(body, false);
        if let Some(frame) = self.frames.last_mut() {
            frame.sums.path += span;
        }
    }

    /// The innermost task has begun a child that it does not wait for: the slot for that child.
    pub(super) fn spawned(&mut self, site: u32) -> Option<Slot> {
        self.counts.forked(site, 1);
        let frame = self.frames.last_mut()?;
        let step = Step::Spawn {
            site,
            child: TaskRef::UNKNOWN,
        };
        frame.shape = mix(frame.shape, step.shape());
        let index = self.steps.len() - frame.first_step;
        self.steps.push(step);
        frame.sums.forks += 1;
        let node = frame.node.get_or_insert_default();
        Some(Slot::new(node, index, false, frame.sums.path))
    }

    /// Adds what a child of the last step measured, or will have measured.
    #[inline]
    fn add_child(&mut self, child: Summary, is_second: bool) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        if child.node.is_none() {
            frame.sums.work += child.sums.work;
            frame.sums.forks += child.sums.forks;
            frame.sums.span = frame.sums.span.max(frame.sums.path + child.sums.span);
            frame.steals += child.steals;
            return;
        }
        let index = self.steps.len() - 1 - frame.first_step;
        let node = frame.node.get_or_insert_default();
        let slot = Slot::new(node, index, is_second, frame.sums.path);
        slot.fill(child, &mut self.table, self.digits);
    }

    /// Fills a slot with what a task on this thread measured.
    pub(super) fn fill(&mut self, slot: Slot, summary: Summary) {
        slot.fill(summary, &mut self.table, self.digits);
    }

    /// The summary, as other threads can read it.
    pub(super) fn publish(&mut self, summary: Summary) -> Summary {
        let task = self.table.publish(summary.task);
        Summary { task, ..summary }
    }

    /// Hands everything to the store.
    pub(super) fn flush(&mut self, store: &mut Store) {
        if store.epoch() == self.epoch {
            self.table.publish_all(store);
            store.count(&mut self.counts);
        }
    }
}
