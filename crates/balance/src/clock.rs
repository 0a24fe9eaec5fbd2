use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock of a dispatcher: the system's, another one of the caller's, or one that a test or a
/// simulation sets.
#[derive(Clone, Debug)]
pub struct Clock(ClockKind);

#[derive(Clone, Debug)]
enum ClockKind {
    System(Instant),
    Read(fn() -> u64),
    Manual(Arc<AtomicU64>),
}

impl Clock {
    /// Real time.
    pub fn system() -> Self {
        Self(ClockKind::System(Instant::now()))
    }

    /// A clock of the caller's, in nanoseconds since any moment. It never goes back.
    pub fn read_by(nanos: fn() -> u64) -> Self {
        Self(ClockKind::Read(nanos))
    }

    /// A clock that stands still until it is [set](Self::set). Clones show the same time.
    pub fn manual() -> Self {
        Self(ClockKind::Manual(Arc::default()))
    }

    /// Sets a manual clock. Others ignore it.
    pub fn set(&self, since_start: Duration) {
        if let ClockKind::Manual(nanos) = &self.0 {
            // Ordering: the time guards no other data.
            nanos.store(whole_nanos(since_start), Ordering::Relaxed);
        }
    }

    /// Nanoseconds since a moment that is always the same.
    #[inline]
    pub(crate) fn nanos(&self) -> u64 {
        match &self.0 {
            ClockKind::System(start) => whole_nanos(start.elapsed()),
            ClockKind::Read(nanos) => nanos(),
            ClockKind::Manual(nanos) => nanos.load(Ordering::Relaxed),
        }
    }

    /// Nanoseconds at a moment that was read off the system's clock. Other clocks are read now.
    #[cfg(all(feature = "proxy", unix))]
    pub(crate) fn nanos_at(&self, now: Instant) -> u64 {
        match &self.0 {
            ClockKind::System(start) => whole_nanos(now - *start),
            ClockKind::Read(_) | ClockKind::Manual(_) => self.nanos(),
        }
    }
}

pub(crate) fn whole_nanos(time: Duration) -> u64 {
    let seconds = time.as_secs().saturating_mul(1_000_000_000);
    seconds.saturating_add(time.subsec_nanos().into())
}
