use std::time::Duration;

/// The work and the span of a computation, by what its leaves say that they took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) work: Duration,
    pub(crate) span: Duration,
}

impl Taken {
    pub(super) fn leaf(time: Duration) -> Self {
        Self {
            work: time,
            span: time,
        }
    }

    /// Of two computations that can run at the same time.
    pub(super) fn beside((one, other): (Self, Self)) -> Self {
        Self {
            work: one.work + other.work,
            span: one.span.max(other.span),
        }
    }

    /// Of two that run one after the other.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            work: self.work + next.work,
            span: self.span + next.span,
        }
    }
}
