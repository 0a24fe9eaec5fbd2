//! Whether this process was forked from the one that built a pool.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many times this process, or one that it was forked from, was forked off since somebody first
/// asked. A number in memory, because asking the system for the process would cost more than
/// handing a job over.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The process as of now: another one gives another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// The current process, if forks are to be noticed from now on.
    pub(crate) fn watched() -> Self {
        watch::begin();
        Self::current()
    }

    #[inline]
    pub(crate) fn current() -> Self {
        // Ordering: written before any code of ours runs in the new process.
        Self(FORKS.load(Ordering::Relaxed))
    }
}

#[cfg(all(unix, not(any(loom, shuttle))))]
mod watch {
    #![allow(unsafe_code, reason = "pthread_atfork is a foreign function")]

    use std::sync::Once;

    use super::{FORKS, Ordering};

    extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn begin() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: the handler only adds to an atomic, which is allowed in a process just forked. It
            // fails only for want of memory, and then forks go unnoticed.
            unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        });
    }
}

#[cfg(not(all(unix, not(any(loom, shuttle)))))]
mod watch {
    pub(super) fn begin() {}
}
