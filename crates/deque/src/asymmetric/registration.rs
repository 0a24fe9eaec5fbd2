//! From ordinary fences to asymmetric ones, while threads use them.
//!
//! A process has to be registered with the system before HEAVY can make other threads execute a
//! fence. In a process with several threads that takes milliseconds, so threads use ordinary fences
//! meanwhile. There is no moment at which all threads change over. Instead
//!
//! * a thread on the light side goes over to the free fence when it sees that the registration is
//!   complete, and passes an ordinary fence at that moment;
//! * the heavy side passes an ordinary fence first, then reads whether the registration is
//!   complete, and if so makes the system call.
//!
//! A light side that has not gone over pairs with the fence of the heavy side. For one that has,
//! one of the two ordinary fences comes first. If it is that of the heavy side, the light side's
//! later read sees what the heavy side wrote before. If it is that of the light side, the heavy
//! side reads later that the registration is complete, and makes the call.

use crate::sync::{AtomicBool, Ordering, fence};

/// Whether the process is registered.
pub(super) struct Registration {
    is_complete: AtomicBool,
}

impl Registration {
    #[cfg(not(loom))]
    pub(super) const fn new() -> Self {
        Self {
            is_complete: AtomicBool::new(false),
        }
    }

    /// The system makes other threads execute a fence from now on, if asked to.
    pub(super) fn complete(&self) {
        // Ordering: the fences of both sides order what they read here.
        self.is_complete.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_done(&self) -> bool {
        self.is_complete.load(Ordering::Relaxed)
    }

    /// Whether the light side is free for the calling thread, from now on.
    pub(super) fn light(&self) -> bool {
        let is_free = self.is_done();
        if is_free {
            // Pairs with the fence in `heavy`.
            fence(Ordering::SeqCst);
        }
        is_free
    }

    pub(super) fn heavy(&self) {
        // Pairs with the fence in `light`, and with the light side where that is a fence.
        fence(Ordering::SeqCst);
        if self.is_done() {
            barrier();
        }
    }
}

#[cfg(not(any(loom, shuttle)))]
pub(super) use system::{barrier, calls, light, register};

#[cfg(not(any(loom, shuttle)))]
mod system {
    use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

    /// How often [`barrier`] was called.
    static CALLS: AtomicU64 = AtomicU64::new(0);

    /// The free fence.
    #[inline]
    pub(crate) fn light() {
        compiler_fence(Ordering::SeqCst);
    }

    /// Registers the process. False if the system has no such call. The flag is for tests of other
    /// systems' behaviour.
    pub(crate) fn register() -> bool {
        // Miri does not have the system call.
        !cfg!(any(filch_no_membarrier, miri)) && kernel::register()
    }

    pub(crate) fn barrier() {
        // Ordering, here and below: a number that orders nothing.
        CALLS.fetch_add(1, Ordering::Relaxed);
        kernel::barrier();
    }

    pub(crate) fn calls() -> u64 {
        CALLS.load(Ordering::Relaxed)
    }

    #[cfg(target_os = "linux")]
    mod kernel {
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

#[cfg(any(loom, shuttle))]
pub(super) use model::{barrier, light};

#[cfg(any(loom, shuttle))]
mod model {
    use crate::sync::{Ordering, fence};

    pub(crate) fn light() {
        pair();
    }

    pub(crate) fn barrier() {
        pair();
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

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread;

    /// What a mutant leaves out.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Without {
        Nothing,
        LightFence,
        HeavyFence,
        Barrier,
    }

    struct Words {
        registration: Registration,
        x: AtomicUsize,
        y: AtomicUsize,
    }

    fn light_side(words: &Words, without: Without) -> usize {
        let registration = &words.registration;
        let is_free = if without == Without::LightFence {
            registration.is_done()
        } else {
            registration.light()
        };
        words.x.store(1, Ordering::Relaxed);
        if is_free {
            light();
        } else {
            fence(Ordering::SeqCst);
        }
        words.y.load(Ordering::Relaxed)
    }

    fn heavy_side(words: &Words, without: Without) -> usize {
        words.y.store(1, Ordering::Relaxed);
        match without {
            Without::HeavyFence if words.registration.is_done() => barrier(),
            Without::HeavyFence => {}
            Without::Barrier => fence(Ordering::SeqCst),
            _ => words.registration.heavy(),
        }
        words.x.load(Ordering::Relaxed)
    }

    /// The process is registered while one thread passes LIGHT and another HEAVY.
    fn explore(without: Without) {
        loom::model(move || {
            let words = Arc::new(Words {
                registration: Registration {
                    is_complete: AtomicBool::new(false),
                },
                x: AtomicUsize::new(0),
                y: AtomicUsize::new(0),
            });
            let (registers, heavy) = (Arc::clone(&words), Arc::clone(&words));
            let registers = thread::spawn(move || registers.registration.complete());
            let heavy = thread::spawn(move || heavy_side(&heavy, without));
            let seen_by_light = light_side(&words, without);
            let seen_by_heavy = heavy.join().unwrap();
            registers.join().unwrap();
            assert!(seen_by_light + seen_by_heavy > 0, "neither saw the other");
        });
    }

    #[test]
    fn one_side_sees_the_other_while_the_process_is_registered() {
        explore(Without::Nothing);
    }

    #[test]
    #[should_panic(expected = "neither saw the other")]
    fn the_light_side_needs_a_fence_when_it_goes_over() {
        explore(Without::LightFence);
    }

    #[test]
    #[should_panic(expected = "neither saw the other")]
    fn the_heavy_side_needs_a_fence_before_it_reads() {
        explore(Without::HeavyFence);
    }

    #[test]
    #[should_panic(expected = "neither saw the other")]
    fn the_heavy_side_needs_the_barrier() {
        explore(Without::Barrier);
    }
}
