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

// Miri knows neither `fork` nor the system's numbers of threads.
#[cfg(all(unix, not(any(loom, shuttle, miri))))]
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

#[cfg(not(all(unix, not(any(loom, shuttle, miri)))))]
mod watch {
    pub(super) fn begin() {}
}

/// A thread of this process, as the system numbers it. Zero if it is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadId(usize);

impl ThreadId {
    pub(crate) fn current() -> Self {
        Self(thread::current_number())
    }

    pub(crate) fn number(self) -> usize {
        self.0
    }

    pub(crate) fn from_number(number: usize) -> Self {
        Self(number)
    }
}

/// What changes whenever the thread runs, if it sleeps in the system and that can be told.
pub(crate) fn run_time_if_asleep(thread: ThreadId) -> Option<String> {
    thread::run_time_if_asleep(thread.0)
}

#[cfg(all(target_os = "linux", not(any(loom, shuttle, miri))))]
mod thread {
    #![allow(unsafe_code, reason = "gettid is a foreign function")]

    use std::fs;

    pub(super) fn current_number() -> usize {
        // SAFETY: it has no preconditions.
        let number = unsafe { libc::gettid() };
        usize::try_from(number).unwrap_or(0)
    }

    /// proc_pid_stat(5): the state comes after the name in parentheses. The first number of
    /// `schedstat` is the time for which the thread has run, in nanoseconds.
    pub(super) fn run_time_if_asleep(thread: usize) -> Option<String> {
        let read = |name: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{name}")).ok();
        let stat = read("stat")?;
        let state = stat.rsplit_once(')')?.1.trim_start().chars().next()?;
        if state == 'R' {
            None
        } else {
            read("schedstat")
        }
    }
}

#[cfg(not(all(target_os = "linux", not(any(loom, shuttle, miri)))))]
mod thread {
    pub(super) fn current_number() -> usize {
        0
    }

    pub(super) fn run_time_if_asleep(_: usize) -> Option<String> {
        None
    }
}
