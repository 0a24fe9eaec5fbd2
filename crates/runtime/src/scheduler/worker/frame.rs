//! The memory of a join.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, needs_drop};

/// The job of a join, and the result of its first closure while the second runs.
///
/// They are one object on purpose. Other threads know the address of the job, so the compiler must
/// leave the result in memory too. Otherwise it would keep it in a register, which every call of
/// the function around the join saves and restores, those that do not fork included.
pub(super) struct JoinFrame<J, RA> {
    pub(super) job: MaybeUninit<J>,
    pub(super) first: First<RA>,
}

impl<J, RA> JoinFrame<J, RA> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            job: MaybeUninit::uninit(),
            first: First(MaybeUninit::uninit(), PhantomData),
        }
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
