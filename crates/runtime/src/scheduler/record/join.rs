//! A join, from its fork to its end.

use filch_profile::Kind;

use super::clock::{Ticks, now};
use super::root::Origin;
use super::site::SiteKey;
use super::state::{Begins, State};
use super::task::Summary;

/// A join that the current thread is in. If it is dropped, code has unwound past the join.
pub(crate) struct Join {
    /// `None` if it is not recorded.
    recorded: Option<Recorded>,
}

struct Recorded {
    site: u32,
    origin: Origin,
    /// How many tasks the thread was in before.
    depth: usize,
    first: Option<Summary>,
}

impl Join {
    /// Forks closures of that type: the first begins.
    #[inline(always)]
    pub(crate) fn begin<F>() -> Self {
        Self::at(&SiteKey::of::<F>(Kind::Join))
    }

    #[inline(never)]
    pub(super) fn at(key: &SiteKey) -> Self {
        let recorded = State::with(|state| {
            if !state.is_active() {
                return None;
            }
            let at = now();
            state.end_strand(at);
            let site = state.site(key);
            let recorded = Recorded {
                site,
                origin: Origin::here(state, site, at),
                depth: state.depth(),
                first: None,
            };
            state.begin(site, at, Begins::First);
            Some(recorded)
        });
        Self {
            recorded: recorded.flatten(),
        }
    }

    /// What a thief is told of the second closure.
    #[inline]
    pub(crate) fn origin(&self) -> Origin {
        self.recorded
            .as_ref()
            .map_or(Origin::NONE, |recorded| recorded.origin)
    }

    /// The first closure has ended, and the second begins, if it was not stolen.
    #[inline(never)]
    pub(crate) fn first_ended(&mut self) {
        let Some(recorded) = &mut self.recorded else {
            return;
        };
        State::with(|state| {
            let at = now();
            state.end_strand(at);
            state.end_down_to(recorded.depth + 1);
            recorded.first = Some(state.end());
            state.begin(recorded.site, at, Begins::Second);
        });
    }

    /// What the first closure worked.
    pub(super) fn first_work(&self) -> Ticks {
        let recorded = self.recorded.as_ref();
        recorded
            .and_then(|recorded| recorded.first.as_ref())
            .map_or(0, |first| first.sums.work)
    }

    /// The second closure has ended, which ran here.
    #[inline(never)]
    pub(crate) fn end(mut self) {
        if let Some(recorded) = self.recorded.take() {
            recorded.end();
        }
    }

    /// The second closure has ended, which a thief ran.
    pub(crate) fn end_stolen(mut self, second: Summary) {
        if let Some(recorded) = self.recorded.take() {
            State::with(|state| {
                state.end_down_to(recorded.depth + 1);
                state.discard();
                recorded.joined(state, second, now());
            });
        }
    }
}

impl Recorded {
    fn end(self) {
        State::with(|state| {
            let at = now();
            state.end_strand(at);
            state.end_down_to(self.depth + 1);
            let last = state.end();
            match self.first {
                Some(_) => self.joined(state, last, at),
                // The first has unwound, and its thread with it.
                None => Self {
                    first: Some(last),
                    ..self
                }
                .joined(state, Summary::NOTHING, at),
            }
        });
    }

    fn joined(self, state: &mut State, second: Summary, at: Ticks) {
        let first = self.first.unwrap_or(Summary::NOTHING);
        state.joined(self.site, first, second);
        state.run(at, Begins::AfterJoin);
    }
}

impl Drop for Join {
    fn drop(&mut self) {
        if let Some(recorded) = self.recorded.take() {
            recorded.end();
        }
    }
}
