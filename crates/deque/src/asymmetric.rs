//! Asymmetric fences: a pair of which the frequent side is free.
//!
//! If thread A writes x, passes a [`Light`] fence and reads y, and thread B writes y, passes
//! [`heavy`] and reads x, then at least one of them sees the other's write. The [crate
//! page](crate#light-and-heavy) says why.

#[cfg(any(loom, shuttle))]
use model as how;
#[cfg(not(any(loom, shuttle)))]
use real as how;

/// The frequent side of the pair. It knows which kind of fence this process needs. A copy that lies
/// beside other data of a thread costs nothing to consult.
#[derive(Clone, Copy, Debug)]
pub struct Light {
    /// Whether [`heavy`] makes the other threads execute a fence, so that this side need not.
    free: bool,
}

impl Light {
    /// Decides, once for the process, which kind of fence it has.
    pub fn settled() -> Self {
        Self {
            free: how::settle(),
        }
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
        how::light(self.free);
    }
}

/// The rare side of the pair: makes every other thread of the process execute a fence.
pub fn heavy() {
    how::heavy(Light::settled().free);
}

/// For model checkers, which have no system call that makes other threads execute a fence.
#[cfg(any(loom, shuttle))]
mod model {
    use crate::sync::{Ordering, fence};

    /// Explores the code paths of a system with `membarrier`, unless `filch_no_membarrier` asks for
    /// the others.
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

    /// Lets LIGHT and HEAVY pair with each other and not with an ordinary fence: of two additions
    /// to one word, the later thread sees what the earlier did before.
    #[cfg(loom)]
    fn pair() {
        use loom::sync::atomic::AtomicUsize;

        loom::lazy_static! {
            static ref PAIR: AtomicUsize = AtomicUsize::new(0);
        }
        PAIR.fetch_add(1, Ordering::AcqRel);
    }

    /// shuttle's models are sequentially consistent.
    #[cfg(shuttle)]
    fn pair() {
        fence(Ordering::SeqCst);
    }
}

#[cfg(not(any(loom, shuttle)))]
mod real {
    use core::sync::atomic::{Ordering, compiler_fence, fence};
    use std::sync::OnceLock;

    /// Asks the system once, so that all threads get the same answer.
    pub(super) fn settle() -> bool {
        static FREE: OnceLock<bool> = OnceLock::new();
        // The flag is for tests of other systems' behaviour. Miri has no such system call.
        *FREE.get_or_init(|| !cfg!(any(filch_no_membarrier, miri)) && kernel::register())
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
        /// Registers the process for the barrier. False if there is none.
        pub(super) fn register() -> bool {
            membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0
        }

        pub(super) fn barrier() {
            // This cannot fail once registered (membarrier(2)), unless a sandbox has forbidden it
            // since. To go on without the fence could run a job twice, and to unwind could free a
            // job that runs.
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
