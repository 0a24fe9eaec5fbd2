//! Entries into the scheduler from outside, and jobs on their own.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use filch_profile::Kind;

use super::clock::now;
use super::output;
use super::root::{self, Origin};
use super::site::SiteKey;
use super::stack;
use super::state::{Begins, State};
use super::store::{self, RanSection, Store};
use super::task::Summary;

/// How many sections have begun and have not ended.
static OPEN: AtomicU64 = AtomicU64::new(0);

/// Whether a section has begun and has not ended.
pub(super) fn is_any_open() -> bool {
    // Ordering: Relaxed here and below, a count that guards no other memory.
    OPEN.load(Ordering::Relaxed) > 0
}

/// A call that hands work to a pool and waits for it.
pub(crate) struct Entry {
    /// `None` if it is not recorded.
    recorded: Option<Recorded>,
}

struct Recorded {
    origin: Origin,
    /// Whether the caller's thread is in a task already. Then the call is a step of that task.
    is_nested: bool,
    /// What the work measured, once it has ended.
    outcome: Arc<Mutex<Option<Summary>>>,
}

impl Entry {
    /// A call with work of that type, by a thread that is outside the pool or in another one.
    pub(crate) fn begin<F>() -> Self {
        Self::at(&SiteKey::of::<F>(Kind::Install), true)
    }

    /// A call whose work begins on the thread of the caller. In a task it is recorded as a part of
    /// that.
    pub(crate) fn begin_here<F>() -> Self {
        Self::at(&SiteKey::of::<F>(Kind::Install), false)
    }

    fn at(key: &SiteKey, may_nest: bool) -> Self {
        let epoch = store::epoch();
        let begin = |state: &mut State| {
            let is_nested = state.is_active();
            if epoch == 0 || is_nested && !may_nest || !is_nested && state.is_in_task() {
                return None;
            }
            let at = now();
            let site = if is_nested {
                state.leave_coarse();
                state.end_strand(at);
                state.site(key)
            } else {
                OPEN.fetch_add(1, Ordering::Relaxed);
                let key = key.at_place(stack::place());
                Store::with(|store| {
                    store.timeline.go_on(at);
                    store.sites.find(&key, None)
                })
            };
            Some(Recorded {
                origin: Origin::of_section(state, epoch, site, at),
                is_nested,
                outcome: Arc::default(),
            })
        };
        Self {
            recorded: State::with(begin).flatten(),
        }
    }

    /// The work, to be run on any thread.
    pub(crate) fn wrap<F, R>(&self, work: F) -> impl FnOnce() -> R + use<F, R>
    where
        F: FnOnce() -> R,
    {
        let recorded = self.recorded.as_ref();
        let recorded = recorded.map(|recorded| (recorded.origin, Arc::clone(&recorded.outcome)));
        move || {
            let Some((origin, outcome)) = recorded else {
                return work();
            };
            let work = || catch_unwind(AssertUnwindSafe(work));
            let (result, summary) = root::run(origin, work);
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary);
            result.unwrap_or_else(|panic| resume_unwind(panic))
        }
    }
}

impl Drop for Entry {
    /// The call returns, or unwinds.
    fn drop(&mut self) {
        let Some(recorded) = self.recorded.take() else {
            return;
        };
        let outcome = recorded
            .outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let summary = outcome.unwrap_or(Summary::NOTHING);
        let origin = recorded.origin;
        if recorded.is_nested {
            State::with(|state| {
                state.scoped(origin.site, summary);
                state.run(Begins::Other);
            });
        } else {
            end_section(origin, &summary, true);
        }
    }
}

/// A job that is sent to a pool, for which its caller does not wait here.
pub(crate) fn detached<F, R>(job: F) -> impl FnOnce() -> R + use<F, R>
where
    F: FnOnce() -> R,
{
    let origin = detached_at(&SiteKey::of::<F>(Kind::Spawn));
    move || {
        let Some(origin) = origin else {
            return job();
        };
        let (result, summary) = root::run(origin, || catch_unwind(AssertUnwindSafe(job)));
        end_section(origin, &summary, false);
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

fn detached_at(key: &SiteKey) -> Option<Origin> {
    let epoch = store::epoch();
    if epoch == 0 {
        return None;
    }
    let begin = |state: &mut State| {
        OPEN.fetch_add(1, Ordering::Relaxed);
        let site = if state.is_active() {
            state.site(key)
        } else {
            Store::with(|store| store.sites.find(key, None))
        };
        let at = now();
        Store::with(|store| {
            store.timeline.go_on(at);
            store.sites.count(site, 1, 0);
        });
        Origin::of_section(state, epoch, site, at)
    };
    State::with(begin)
}

fn end_section(origin: Origin, summary: &Summary, is_awaited: bool) {
    OPEN.fetch_sub(1, Ordering::Relaxed);
    let ran = RanSection {
        site: origin.site,
        entered: origin.forked,
        left: now(),
        caller: origin.thread,
        is_awaited,
    };
    Store::with(|store| {
        if store.epoch() == origin.epoch {
            store.add_section(&ran, summary);
        }
    });
    output::section_ended(is_awaited);
}
