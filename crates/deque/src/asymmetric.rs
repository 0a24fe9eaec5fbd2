//! Asymmetric fences: a pair of which the frequent side is free.
//!
//! If thread A writes x, passes a [`Light`] fence and reads y, and thread B writes y, passes
//! [`heavy`] and reads x, then at least one of them sees the other's write. The [crate
//! page](crate#light-and-heavy) says why.

mod registration;

#[cfg(any(loom, shuttle))]
use model as how;
#[cfg(not(any(loom, shuttle)))]
use real as how;

/// The frequent side of the pair. It knows which kind of fence its thread has to pass. A copy that
/// lies beside other data of a thread costs nothing to consult.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    /// Whether [`heavy`] makes the other threads execute a fence, so that this side need not.
    free: bool,
}

impl Light {
    /// The fence that a thread needs from now on. It may become free later, and never the reverse.
    pub fn of_now() -> Self {
        Self { free: how::light() }
    }

    /// Whether this side needs no instruction and only has to restrain the compiler.
    #[inline]
    pub fn is_free(self) -> bool {
        self.free
    }

    /// Keeps the compiler from moving a later read before an earlier write, and also the processor
    /// where [`heavy`] cannot.
    #[inline]
    pub fn fence(self) {
        how::fence(self.free);
    }
}

/// The rare side of the pair: makes every other thread of the process execute a fence.
pub fn heavy() {
    how::heavy();
}

/// Whether [`heavy`] makes a system call.
pub fn is_heavy_costly() -> bool {
    how::is_registered()
}

/// How many system calls [`heavy`] has made in this process. Each interrupts every processor that
/// runs another thread of it.
pub fn heavy_calls() -> u64 {
    how::heavy_calls()
}

/// Makes the light side free, if the system can and no other thread is about to. In a process with
/// several threads that takes some milliseconds.
pub fn register() {
    how::register_now();
}

/// Makes the light side free, if that takes no time: in a process that has no other thread yet.
pub fn register_if_alone() {
    how::register_if_alone();
}

/// Makes the light side free, some milliseconds from now and on another thread.
pub fn register_soon() {
    how::register_soon();
}

/// For model checkers, which have no system call that makes other threads execute a fence. They
/// explore the code paths of a process that is registered from the start, unless
/// `filch_no_membarrier` asks for the others.
#[cfg(any(loom, shuttle))]
mod model {
    use super::registration::barrier;
    use crate::sync::Ordering;

    pub(super) fn is_registered() -> bool {
        !cfg!(filch_no_membarrier)
    }

    pub(super) fn light() -> bool {
        is_registered()
    }

    pub(super) fn fence(free: bool) {
        if free {
            super::registration::light();
        } else {
            crate::sync::fence(Ordering::SeqCst);
        }
    }

    pub(super) fn heavy() {
        if is_registered() {
            barrier();
        } else {
            crate::sync::fence(Ordering::SeqCst);
        }
    }

    /// A model makes none.
    pub(super) fn heavy_calls() -> u64 {
        0
    }

    pub(super) fn register_now() {}

    pub(super) fn register_if_alone() {}

    pub(super) fn register_soon() {}
}

#[cfg(not(any(loom, shuttle)))]
mod real {
    use core::sync::atomic::{AtomicBool, Ordering};

    use super::registration::{self, Registration, register};

    static REGISTRATION: Registration = Registration::new();

    /// Whether a thread has begun to register the process: that is done once.
    static BEGUN: AtomicBool = AtomicBool::new(false);

    pub(super) fn is_registered() -> bool {
        REGISTRATION.is_done()
    }

    pub(super) fn light() -> bool {
        REGISTRATION.light()
    }

    #[inline]
    pub(super) fn fence(free: bool) {
        if free {
            registration::light();
        } else {
            core::sync::atomic::fence(Ordering::SeqCst);
        }
    }

    pub(super) fn heavy() {
        REGISTRATION.heavy();
    }

    pub(super) fn heavy_calls() -> u64 {
        registration::calls()
    }

    pub(super) fn register_if_alone() {
        if !has_begun() && is_alone() {
            register_now();
        }
    }

    pub(super) fn register_soon() {
        if has_begun() {
            return;
        }
        let thread = std::thread::Builder::new().name("filch-register".to_owned());
        // Without it everything goes on as before, with fences.
        drop(thread.spawn(register_now));
    }

    /// Ordering: a thread that begins sees this by its own exchange.
    fn has_begun() -> bool {
        BEGUN.load(Ordering::Relaxed)
    }

    pub(super) fn register_now() {
        if !BEGUN.swap(true, Ordering::Relaxed) && register() {
            REGISTRATION.complete();
        }
    }

    /// Whether the process has one thread. The system counts the threads among the links of a
    /// folder.
    #[cfg(target_os = "linux")]
    fn is_alone() -> bool {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata("/proc/self/task").is_ok_and(|tasks| tasks.nlink() == 2 + 1)
    }

    #[cfg(not(target_os = "linux"))]
    fn is_alone() -> bool {
        false
    }
}
