use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock of a dispatcher: the system's, or one that a test or a simulation sets.
#[derive(Clone, Debug)]
pub struct Clock(ClockKind);

#[derive(Clone, Debug)]
enum ClockKind {
    System(Instant),
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// Real time.
    pub fn system() -> Self {
        Self(ClockKind::System(Instant::now()))
    }

    /// A clock that stands still until it is [set](Self::set). Clones show the same time.
    pub fn manual() -> Self {
        Self(ClockKind::Manual(Arc::default()))
    }

    /// Sets a manual clock. A system clock ignores it.
    pub fn set(&self, since_start: Duration) {
        if let ClockKind::Manual(nanos) = &self.0 {
            // Ordering: the time guards no other data.
            nanos.store(whole_nanos(since_start), Ordering::Relaxed);
        }
    }

    /// Nanoseconds since the clock was made.
    pub(crate) fn nanos(&self) -> u64 {
        match &self.0 {
            ClockKind::System(start) => whole_nanos(start.elapsed()),
            ClockKind::Manual(nanos) => nanos.load(Ordering::Relaxed),
        }
    }
}

pub(crate) fn whole_nanos(time: Duration) -> u64 {
    let seconds = time.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(time.subsec_nanos().into())
}
