//! Jobs that come to a thread from elsewhere.

use super::clock::{Ticks, now};
use super::counted::Forker;
use super::stack::filch_job_begins;
use super::state::{Begins, CurrentStretch, Interrupted, State};
use super::store::{self, Store};
use super::stretches::Ran;
use super::task::Summary;

/// Where a job was forked, for the thread that runs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The recording; zero if the job is not recorded.
    pub(super) epoch: u64,
    pub(super) site: u32,
    pub(super) thread: u32,
    /// Whether it can be stolen: a section cannot.
    is_fork: bool,
    stretch: Option<u32>,
    pub(super) forked: Ticks,
}

impl Origin {
    pub(crate) const NONE: Self = Self {
        epoch: 0,
        site: 0,
        thread: 0,
        is_fork: false,
        stretch: None,
        forked: 0,
    };

    /// Of what this thread forks now.
    #[inline]
    pub(super) fn here(state: &State, site: u32, at: Ticks) -> Self {
        Self {
            epoch: state.epoch(),
            site,
            thread: state.thread,
            is_fork: true,
            stretch: state.stretch.number,
            forked: at,
        }
    }

    /// Of a fork that was counted.
    pub(super) fn of_counted(forker: Forker, at: Ticks) -> Self {
        Self {
            epoch: forker.epoch.into(),
            site: forker.site,
            thread: forker.thread,
            is_fork: true,
            stretch: (forker.stretch != u32::MAX).then_some(forker.stretch),
            forked: at,
        }
    }

    /// Of a section that this thread begins.
    pub(super) fn of_section(state: &State, epoch: u64, site: u32, at: Ticks) -> Self {
        Self {
            epoch,
            is_fork: false,
            ..Self::here(state, site, at)
        }
    }

    fn is_stolen_by(&self, thread: u32) -> bool {
        self.is_fork && self.thread != thread
    }
}

/// While a job runs on top of what the thread was doing. Nothing of that is recorded as a part of
/// what lies below.
pub(crate) struct OnTop(Option<Interrupted>);

impl OnTop {
    /// A job begins, or a time in which the thread waits.
    pub(crate) fn begin() -> Self {
        let interrupt = |state: &mut State| state.is_in_task().then(|| state.interrupt());
        Self(State::with(interrupt).flatten())
    }
}

impl Drop for OnTop {
    fn drop(&mut self) {
        if let Some(interrupted) = self.0.take() {
            State::with(|state| state.resume(interrupted));
        }
    }
}

/// Runs a job that was stolen or sent here. It does not unwind.
pub(crate) fn run<R>(origin: impl Into<Origin>, job: impl FnOnce() -> R) -> (R, Summary) {
    let _on_top = OnTop::begin();
    let Some(root) = Root::begin(origin.into()) else {
        return (job(), Summary::NOTHING);
    };
    let result = filch_job_begins(job);
    (result, root.end())
}

struct Root {
    origin: Origin,
    /// How many tasks the thread was in before.
    depth: usize,
    began: Ticks,
    /// The stretch that was interrupted, if the job is one of its own.
    below: Option<CurrentStretch>,
}

impl Root {
    fn begin(origin: Origin) -> Option<Self> {
        if origin.epoch == 0 || origin.epoch != store::epoch() {
            return None;
        }
        let begin = |state: &mut State| {
            if !state.join_epoch(origin.epoch) {
                return None;
            }
            // A child of a scope that its own worker runs comes from nowhere else.
            let is_own = origin.is_fork && origin.thread == state.thread && state.is_in_task();
            let below = (!is_own).then(|| {
                let number = store::next_stretch();
                core::mem::replace(&mut state.stretch, CurrentStretch { number, busy: 0 })
            });
            let (depth, began) = (state.depth(), now());
            state.enter(origin.site);
            if origin.is_stolen_by(state.thread) {
                state.stolen(origin.site);
            }
            state.run(Begins::Other);
            Some(Self {
                origin,
                depth,
                began,
                below,
            })
        };
        State::with(begin).flatten()
    }

    fn end(self) -> Summary {
        State::with(|state| self.end_in(state)).unwrap_or(Summary::NOTHING)
    }

    fn end_in(self, state: &mut State) -> Summary {
        let ended = now();
        state.end_strand(ended);
        state.end_down_to(self.depth + 1);
        let summary = state.end();
        state.leave_job();
        let summary = state.publish(summary);
        if let Some(below) = self.below {
            let stretch = core::mem::replace(&mut state.stretch, below);
            Store::with(|store| {
                if let Some(number) = stretch.number {
                    store.add_stretch(number, state, &self.stretch(ended, stretch));
                }
                if !state.is_in_task() {
                    state.flush(store);
                }
            });
        }
        summary
    }

    fn stretch(&self, ended: Ticks, stretch: CurrentStretch) -> Ran {
        Ran {
            site: self.origin.site,
            forked_in: self.origin.stretch,
            forked: self.origin.forked,
            began: self.began,
            ended,
            busy: stretch.busy,
        }
    }
}
