//! Whether this process was forked from the one that built a pool.

use std::sync::atomic::{AtomicU32, Ordering};

/// How often this process or one of its ancestors was forked off since the first pool was built. A
/// counter in memory, because a system call for the process id would cost more than dispatching a
/// job.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The current process: a forked process has another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process(u32);

impl Process {
    /// The current process, with forks counted from now on.
    pub(crate) fn watched() -> Self {
        watch::begin();
        Self::current()
    }

    #[inline]
    pub(crate) fn current() -> Self {
        // Ordering: written before any other code of ours runs in the new process.
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
            // SAFETY: the handler only adds to an atomic, which is allowed in a process just
            // forked. The call fails only for lack of memory, and then forks go unnoticed.
            unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        });
    }
}

#[cfg(not(all(unix, not(any(loom, shuttle)))))]
mod watch {
    pub(super) fn begin() {}
}
