//! A join, from its fork to its end.

use filch_profile::Kind;

use super::clock::{Ticks, now};
use super::root::Origin;
use super::site::SiteKey;
use super::state::{Begins, State};
use super::task::Summary;

/// How a join is recorded.
pub(crate) trait JoinRecord {
    type Origin: Into<Origin> + Copy;

    /// What a thief is told of the second closure.
    fn origin(&self) -> Self::Origin;

    /// The first closure has ended, and the second begins, if it was not stolen.
    fn first_ended(&mut self);

    /// The second closure has ended, which ran here.
    fn end(self);

    /// The second closure has ended, which a thief ran.
    fn end_stolen(self, second: Summary);
}

/// A join that the current thread is in. If it is dropped, code has unwound past the join.
pub(crate) struct Join {
    /// `None` if it is not recorded.
    timed: Option<Timed>,
}

struct Timed {
    key: u64,
    site: u32,
    origin: Origin,
    /// How many tasks the thread was in before.
    depth: usize,
    /// Once the first closure has ended.
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
        let begin = |state: &mut State| {
            if !state.is_active() {
                return None;
            }
            let at = now();
            state.leave_coarse();
            state.end_strand(at);
            let site = state.site(key);
            let timed = Timed {
                key: key.hash,
                site,
                origin: Origin::here(state, site, at),
                depth: state.depth(),
                first: None,
            };
            state.enter(site);
            state.run_after(at, Begins::First);
            Some(timed)
        };
        let timed = State::with(begin).flatten();
        Self { timed }
    }

    /// What the first closure worked.
    pub(super) fn first_work(&self) -> Ticks {
        let first = self.timed.as_ref().and_then(|timed| timed.first.as_ref());
        first.map_or(0, |first| first.sums.work)
    }
}

impl JoinRecord for Join {
    type Origin = Origin;

    #[inline(always)]
    fn origin(&self) -> Origin {
        self.timed
            .as_ref()
            .map_or(Origin::NONE, |timed| timed.origin)
    }

    #[inline(always)]
    fn first_ended(&mut self) {
        if let Some(timed) = &mut self.timed {
            timed.first_ended();
        }
    }

    #[inline(always)]
    fn end(self) {
        drop(self);
    }

    fn end_stolen(mut self, second: Summary) {
        let Some(mut timed) = self.timed.take() else {
            return;
        };
        State::with(|state| {
            state.end_down_to(timed.depth + 1);
            state.discard();
            timed.joined(state, second, now());
        });
    }
}

impl Drop for Join {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(timed) = &mut self.timed {
            timed.end();
        }
    }
}

impl Timed {
    #[inline(never)]
    fn first_ended(&mut self) {
        State::with(|state| {
            let at = now();
            state.end_strand(at);
            state.end_down_to(self.depth + 1);
            let first = state.end();
            state.begin_second(self.site, self.key, &first, at);
            self.first = Some(first);
        });
    }

    #[inline(never)]
    fn end(&mut self) {
        State::with(|state| {
            let at = now();
            state.end_strand(at);
            state.end_down_to(self.depth + 1);
            let second = match &self.first {
                Some(first) => state.end_second(self.site, first),
                // The thread is ending.
                None => state.end(),
            };
            self.joined(state, second, at);
        });
    }

    fn joined(&mut self, state: &mut State, second: Summary, at: Ticks) {
        let first = self.first.take().unwrap_or(Summary::NOTHING);
        state.joined(self.site, first, second);
        state.run_after(at, Begins::AfterJoin);
    }
}
