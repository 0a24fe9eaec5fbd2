//! The memory of a join.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, needs_drop};
use core::ptr::NonNull;

use filch_deque::{Bottom, Fork};

use super::fork::fork;
use crate::scheduler::job::JobHead;

/// The job of a join, what takes it back, and the result of its first closure while the second
/// runs.
///
/// They are one object on purpose. Other threads know the address of the job, so the compiler must
/// leave the rest in memory too while a closure runs. Otherwise it would keep it in registers,
/// which every call of the function around the join saves and restores, those that do not fork
/// included.
pub(super) struct JoinFrame<'d, J, RA> {
    pub(super) job: MaybeUninit<J>,
    pub(super) first: First<RA>,
    pub(super) fork: ForkFrame<'d>,
}

impl<J, RA> JoinFrame<'_, J, RA> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            job: MaybeUninit::uninit(),
            first: First(MaybeUninit::uninit(), PhantomData),
            fork: ForkFrame {
                deque: MaybeUninit::uninit(),
                forked: MaybeUninit::uninit(),
            },
        }
    }
}

/// Where a job was forked.
pub(super) struct ForkFrame<'d> {
    deque: MaybeUninit<&'d Bottom<JobHead>>,
    forked: MaybeUninit<Fork>,
}

impl<'d> ForkFrame<'d> {
    /// Forks `job`, and attends if attention is raised.
    #[inline(always)]
    pub(super) fn fork(&mut self, deque: &'d Bottom<JobHead>, job: NonNull<JobHead>) {
        self.deque.write(deque);
        fork(deque, &mut self.forked, job);
    }

    /// The deque and the fork, read from memory.
    ///
    /// # Safety
    ///
    /// A job was forked.
    #[inline(always)]
    pub(super) unsafe fn read(&self) -> (&'d Bottom<JobHead>, Fork) {
        // SAFETY: `fork` has written it.
        let deque = unsafe { self.deque.assume_init() };
        // SAFETY: as above.
        (deque, unsafe { self.forked.assume_init() })
    }
}

/// Memory for the first result, if that fits a register. One that is dropped is not kept here: if
/// the second closure panics, unwinding must find it.
///
/// One word, whatever the result: no frame has room for a large result that is kept elsewhere. It
/// has the type of a pointer, so that a result that is one keeps its provenance.
pub(super) struct First<RA>(MaybeUninit<*mut ()>, PhantomData<RA>);

impl<RA> First<RA> {
    const IS_KEPT: bool = size_of::<RA>() <= size_of::<*mut ()>() && !needs_drop::<RA>();

    /// Keeps a result until [`back`](Self::back). One that is not kept is returned.
    #[inline(always)]
    pub(super) fn keep(&mut self, result: RA) -> Option<RA> {
        if Self::IS_KEPT {
            let word = self.0.as_mut_ptr().cast::<RA>();
            // SAFETY: the result fits into the word. (One without a size may want an alignment that
            // the word does not have.)
            unsafe { word.write_unaligned(result) };
            None
        } else {
            Some(result)
        }
    }

    /// The result, of which `keep` has returned `kept`.
    #[inline(always)]
    pub(super) fn back(self, kept: Option<RA>) -> RA {
        match kept {
            Some(result) => result,
            // SAFETY: `keep` returns `None` only if it has written the result.
            None => unsafe { self.0.as_ptr().cast::<RA>().read_unaligned() },
        }
    }
}
