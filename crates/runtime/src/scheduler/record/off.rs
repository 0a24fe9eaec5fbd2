//! Recording that records nothing.
#![allow(
    clippy::extra_unused_type_parameters,
    reason = "recording tells the types of closures apart"
)]

/// How a join is recorded.
pub(crate) trait JoinRecord {
    type Origin: Into<Origin> + Copy;

    fn origin(&self) -> Self::Origin;

    fn first_ended(&mut self);

    fn end(self);

    fn end_stolen(self, second: Summary);
}

/// A join that the current thread is in.
pub(crate) struct Join;

impl Join {
    #[inline(always)]
    pub(crate) fn begin<F>() -> Self {
        Self
    }
}

/// No join is counted.
#[inline(always)]
pub(crate) fn counted<F>() -> Option<Join> {
    None
}

impl JoinRecord for Join {
    type Origin = Origin;

    #[inline(always)]
    fn origin(&self) -> Origin {
        Origin
    }

    #[inline(always)]
    fn first_ended(&mut self) {}

    #[inline(always)]
    fn end(self) {}

    #[inline(always)]
    fn end_stolen(self, _: Summary) {}
}

/// Where a job was forked.
#[derive(Clone, Copy)]
pub(crate) struct Origin;

/// What is known of a task that has ended.
pub(crate) struct Summary;

/// While a job runs on top of others.
pub(crate) struct OnTop;

impl OnTop {
    #[inline(always)]
    pub(crate) fn begin() -> Self {
        Self
    }
}

/// Runs a job that was stolen.
#[inline(always)]
pub(crate) fn run<R>(_: impl Into<Origin>, job: impl FnOnce() -> R) -> (R, Summary) {
    (job(), Summary)
}

/// A call that hands work to a pool and waits for it.
pub(crate) struct Entry;

impl Entry {
    #[inline(always)]
    pub(crate) fn begin<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn begin_here<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn wrap<F>(&self, work: F) -> F {
        work
    }
}

/// A scope that the current thread is in.
pub(crate) struct OpenScope;

impl OpenScope {
    #[inline(always)]
    pub(crate) fn begin<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn body_ended(&mut self) {}

    #[inline(always)]
    pub(crate) fn end(self) {}
}

/// A child of a scope that has not begun.
pub(crate) struct Spawned;

impl Spawned {
    #[inline(always)]
    pub(crate) fn begin<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn share<F>() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn run<R>(self, child: impl FnOnce() -> R) -> R {
        child()
    }
}

/// A job that is sent to a pool.
#[inline(always)]
pub(crate) fn detached<F>(job: F) -> F {
    job
}

/// A pool begins.
#[inline(always)]
pub(crate) fn pool_begins(_: usize) {}
