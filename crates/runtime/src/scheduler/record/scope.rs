//! Scopes and their children.

use filch_profile::Kind;

use super::clock::now;
use super::node::Slot;
use super::root::{self, Origin};
use super::site::SiteKey;
use super::state::{Begins, State};
use super::task::Summary;

/// A scope that the current thread is in. If it is dropped, code has unwound past the scope.
pub(crate) struct OpenScope {
    /// `None` if it is not recorded.
    recorded: Option<Recorded>,
}

struct Recorded {
    site: u32,
    /// How many tasks the thread was in before.
    depth: usize,
    body: Option<Summary>,
}

impl OpenScope {
    /// The body, of that type, begins.
    pub(crate) fn begin<F>() -> Self {
        let key = SiteKey::of::<F>(Kind::Scope);
        let begin = |state: &mut State| {
            if !state.is_active() {
                return None;
            }
            let at = now();
            state.leave_coarse();
            state.end_strand(at);
            let site = state.site(&key);
            let depth = state.depth();
            state.enter(site);
            state.run_after(at, Begins::Other);
            Some(Recorded {
                site,
                depth,
                body: None,
            })
        };
        Self {
            recorded: State::with(begin).flatten(),
        }
    }

    /// The body has ended. Its children may not have.
    pub(crate) fn body_ended(&mut self) {
        let Some(recorded) = &mut self.recorded else {
            return;
        };
        State::with(|state| {
            state.end_strand(now());
            state.end_down_to(recorded.depth + 1);
            recorded.body = Some(state.end());
        });
    }

    /// All children have ended.
    pub(crate) fn end(self) {
        drop(self);
    }
}

impl Drop for OpenScope {
    fn drop(&mut self) {
        let Some(recorded) = self.recorded.take() else {
            return;
        };
        State::with(|state| {
            state.scoped(recorded.site, recorded.body.unwrap_or(Summary::NOTHING));
            state.run(Begins::Other);
        });
    }
}

/// A child of a scope that has not begun.
pub(crate) struct Spawned {
    /// `None` if it is not recorded.
    recorded: Option<(Origin, Slot)>,
}

impl Spawned {
    /// A child of that type.
    pub(crate) fn begin<F>() -> Self {
        Self::at(&SiteKey::of::<F>(Kind::Spawn))
    }

    /// A share of a broadcast of that type.
    pub(crate) fn share<F>() -> Self {
        Self::at(&SiteKey::of::<F>(Kind::Broadcast))
    }

    fn at(key: &SiteKey) -> Self {
        let begin = |state: &mut State| {
            if !state.is_active() {
                return None;
            }
            let at = now();
            state.leave_coarse();
            state.end_strand(at);
            let site = state.site(key);
            let slot = state.spawned(site)?;
            let origin = Origin::here(state, site, at);
            state.run_after(at, Begins::Other);
            Some((origin, slot))
        };
        Self {
            recorded: State::with(begin).flatten(),
        }
    }

    /// Runs the child, which does not unwind.
    pub(crate) fn run<R>(self, child: impl FnOnce() -> R) -> R {
        let Some((origin, slot)) = self.recorded else {
            return child();
        };
        let (result, summary) = root::run(origin, child);
        State::with(|state| state.fill(slot, summary));
        result
    }
}
