//! A join, from its fork to its end.

use filch_profile::Kind;

use super::clock::{Ticks, now};
use super::coarse;
use super::root::Origin;
use super::site::SiteKey;
use super::state::{Begins, State};
use super::task::Summary;

/// A join that the current thread is in. If it is dropped, code has unwound past the join.
pub(crate) enum Join {
    /// It is not recorded.
    Unrecorded,
    /// It is [counted](coarse) and not timed.
    Counted,
    /// It is timed.
    Timed(Timed),
}

pub(crate) struct Timed {
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
        let key = SiteKey::of::<F>(Kind::Join);
        if coarse::counts(key.hash) {
            Self::Counted
        } else {
            Self::at(&key)
        }
    }

    #[inline(never)]
    pub(super) fn at(key: &SiteKey) -> Self {
        let begin = |state: &mut State| {
            if !state.is_active() {
                return Self::Unrecorded;
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
            state.begin(site, at, Begins::First);
            Self::Timed(timed)
        };
        State::with(begin).unwrap_or(Self::Unrecorded)
    }

    /// What a thief is told of the second closure.
    #[inline(always)]
    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::Unrecorded => Origin::NONE,
            Self::Counted => coarse::origin(),
            Self::Timed(timed) => timed.origin,
        }
    }

    /// The first closure has ended, and the second begins, if it was not stolen.
    #[inline(always)]
    pub(crate) fn first_ended(&mut self) {
        if let Self::Timed(timed) = self {
            timed.first_ended();
        }
    }

    /// What the first closure worked.
    pub(super) fn first_work(&self) -> Ticks {
        match self {
            Self::Timed(timed) => timed.first.as_ref().map_or(0, |first| first.sums.work),
            _ => 0,
        }
    }

    /// The second closure has ended, which ran here.
    #[inline(always)]
    pub(crate) fn end(self) {
        drop(self);
    }

    /// The second closure has ended, which a thief ran.
    pub(crate) fn end_stolen(mut self, second: Summary) {
        State::with(|state| match &mut self {
            Self::Unrecorded => {}
            Self::Counted => state.joined_stolen(second),
            Self::Timed(timed) => {
                state.end_down_to(timed.depth + 1);
                state.discard();
                timed.joined(state, second, now());
            }
        });
        core::mem::forget(self);
    }
}

impl Drop for Join {
    #[inline(always)]
    fn drop(&mut self) {
        if let Self::Timed(timed) = self {
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
        state.run(at, Begins::AfterJoin);
    }
}
