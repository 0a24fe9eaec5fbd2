//! What processors send one another.

use filch_workload::dag::ThreadId;

/// Which processor holds the frame of each living thread.
///
/// BL99 (abstract, section 6) charges a thread that moves with its frame, and a thread that joins
/// with a parent elsewhere with a message.
#[derive(Clone, Debug)]
pub(super) struct Homes(Vec<u32>);

impl Homes {
    /// The root, on processor 0.
    pub(super) fn of(root: ThreadId) -> Self {
        Self(vec![0; root.index() + 1])
    }

    #[inline]
    pub(super) fn born(&mut self, thread: ThreadId, processor: usize) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, 0);
        }
        self.0[thread.index()] = processor as u32;
    }

    /// The cost of moving a thread to `processor`: its frame, unless it is there.
    #[inline]
    pub(super) fn fetch(&mut self, thread: ThreadId, processor: usize, frame: u64) -> u64 {
        let home = &mut self.0[thread.index()];
        let cost = if *home == processor as u32 { 0 } else { frame };
        *home = processor as u32;
        cost
    }

    /// Where the frame of a thread is.
    pub(super) fn home(&self, thread: ThreadId) -> usize {
        self.0[thread.index()] as usize
    }

    /// The cost of telling a thread from `processor` that a join edge is resolved.
    #[inline]
    pub(super) fn message(&self, thread: ThreadId, processor: usize) -> u64 {
        u64::from(self.0[thread.index()] != processor as u32)
    }
}
