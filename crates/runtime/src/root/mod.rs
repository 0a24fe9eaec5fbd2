//! Roots: the stolen jobs that run, each with the latch that it will set and the root of the job
//! that forked it. `scheduler/worker/lineage.rs` has the forest of them.

mod entry;
#[cfg(all(test, loom))]
mod model;

pub(crate) use entry::Entry;

use core::ptr;

use crate::latch::Latch;

/// The address of a root: the job that a fork belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) seat: u32,
    pub(crate) entry: u32,
    /// Zero if there is no root.
    pub(crate) version: u64,
}

impl Origin {
    /// Of a job that is below no stolen one.
    pub(crate) const NONE: Self = Self {
        seat: 0,
        entry: 0,
        version: 0,
    };

    pub(crate) fn is_none(self) -> bool {
        self.version == 0
    }
}

/// What a stolen job is below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) latch: *mut Latch,
    /// The number of its ancestors and itself.
    pub(crate) generation: usize,
    pub(crate) parent: Origin,
    /// An ancestor further up.
    pub(crate) jump: Origin,
}

impl Root {
    /// Above every root.
    pub(crate) const NONE: Self = Self {
        latch: ptr::null_mut(),
        generation: 0,
        parent: Origin::NONE,
        jump: Origin::NONE,
    };
}
