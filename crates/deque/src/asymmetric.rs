//! A pair of fences of which one is free.
//!
//! If thread A writes x, passes a [`Light`] fence and reads y, and thread B writes y, passes [`heavy`]
//! and reads x, then at least one of them sees the other's write. The
//! [crate page](crate#light-and-heavy) says why.

#[cfg(any(loom, shuttle))]
use model as how;
#[cfg(not(any(loom, shuttle)))]
use real as how;

/// The frequent side of the pair. It knows which kind of fence this process needs, so that a copy kept
/// beside other data of a thread's own costs nothing to consult.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    /// Whether [`heavy`] makes the others execute a fence, so that this side need not.
    free: bool,
}

impl Light {
    /// Settles, once for the process, which kind of fences it has.
    pub fn settled() -> Self {
        Self {
            free: how::settle(),
        }
    }

    /// Whether this side needs no instruction, only a compiler that keeps the order.
    #[inline]
    pub fn is_free(self) -> bool {
        self.free
    }

    /// Keeps the compiler from moving a later read before an earlier write, and the processor too
    /// where [`heavy`] cannot.
    #[inline]
    pub fn fence(self) {
        how::light(self.free);
    }
}

/// The rare side of the pair: makes every other thread of the process execute a fence.
pub fn heavy() {
    how::heavy(Light::settled().free);
}

/// For a model checker, which knows no such thing as a system call that makes others execute a fence.
#[cfg(any(loom, shuttle))]
mod model {
    use crate::sync::{Ordering, fence};

    /// As on a system with the barrier, so that the paths of that case are the ones explored, unless
    /// the other case is asked for.
    pub(super) fn settle() -> bool {
        !cfg!(filch_no_membarrier)
    }

    pub(super) fn light(free: bool) {
        if free {
            pair();
        } else {
            fence(Ordering::SeqCst);
        }
    }

    pub(super) fn heavy(free: bool) {
        if free {
            pair();
        }
        fence(Ordering::SeqCst);
    }

    /// What makes a pair of two fences, and no pair of one and an ordinary fence: of two additions, the later
    /// sees what came before the earlier.
    #[cfg(loom)]
    fn pair() {
        use loom::sync::atomic::AtomicUsize;

        loom::lazy_static! {
            static ref PAIR: AtomicUsize = AtomicUsize::new(0);
        }
        PAIR.fetch_add(1, Ordering::AcqRel);
    }

    /// In shuttle's models everybody sees everything at once.
    #[cfg(shuttle)]
    fn pair() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(not(any(loom, shuttle)))]
mod real {
    use core::sync::atomic::{Ordering, compiler_fence, fence};
    use std::sync::OnceLock;

    /// Asks the system once, so that all threads get one answer.
    pub(super) fn settle() -> bool {
        static FREE: OnceLock<bool> = OnceLock::new();
        // The flag is for tests of what other systems do.
        *FREE.get_or_init(|| !cfg!(filch_no_membarrier) && kernel::register())
    }

    #[inline]
    pub(super) fn light(free: bool) {
        if free {
            compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    pub(super) fn heavy(free: bool) {
        if free {
            kernel::barrier();
        } else {
            fence(Ordering::SeqCst);
        }
    }

    #[cfg(target_os = "linux")]
    mod kernel {
        /// Asks for the right to use the barrier; false if there is none.
        pub(super) fn register() -> bool {
            membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0
        }

        pub(super) fn barrier() {
            // It cannot fail once registered (membarrier(2)), unless a sandbox forbids it since. Going on
            // without the fence could run a job twice, and unwinding could free one that runs.
            if membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 {
                refused();
            }
        }

        #[cold]
        #[expect(clippy::print_stderr, reason = "the process ends here")]
        fn refused() -> ! {
            eprintln!("filch: the system call membarrier was allowed at first and is refused now");
            std::process::abort();
        }

        fn membarrier(command: libc::c_int) -> libc::c_long {
            // SAFETY: the call takes two integers (flags 0) and touches no memory of ours.
            unsafe { libc::syscall(libc::SYS_membarrier, command, 0) }
        }
    }

    #[cfg(not(target_os = "linux"))]
    mod kernel {
        pub(super) fn register() -> bool {
            false
        }

        pub(super) fn barrier() {
            unreachable!("only registered processes use the barrier")
        }
    }
}
