//! What a scheduler sees of a computation: what has been revealed so far.

use std::fmt;
use std::num::NonZeroU32;

/// A living thread. Numbers are used again once a thread has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(NonZeroU32);

impl ThreadId {
    /// The thread at `index`, which counts from 0.
    ///
    /// # Panics
    ///
    /// If more than 2³² − 2 threads live at once.
    #[inline]
    pub fn new(index: usize) -> Self {
        let number = u32::try_from(index).ok().and_then(|n| n.checked_add(1));
        Self(NonZeroU32::new(number.expect("fewer than 2³² living threads")).expect("not 0"))
    }

    /// The place of this thread in a table of living threads.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What became of a thread when its next instruction was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It can go on.
    Continues,
    /// It can go on, and there is a new thread. (BL99 assumes that no join edge enters the
    /// instruction after a spawn, so a thread never stalls by spawning.)
    Spawns(ThreadId),
    /// Its next instruction waits for others.
    Stalls,
    /// That was its last instruction; its parent is named, except for the root.
    Dies(Option<ThreadId>),
}

/// A computation that is revealed by executing it, one instruction at a time.
///
/// The scheduler decides which thread is next and must choose a ready one: the root is ready at
/// first, a spawned thread when it is spawned (unless [`is_ready`](Unfold::is_ready) says
/// otherwise, which happens only in computations that are not strict), a stalled one when it is
/// reported as enabled.
pub trait Unfold {
    /// The thread that everything starts from.
    fn root(&self) -> ThreadId;

    /// Executes the next instruction of `thread`, and appends to `enabled` the stalled threads
    /// that it makes ready.
    fn execute(&mut self, thread: ThreadId, enabled: &mut Vec<ThreadId>) -> Executed;

    /// Whether a living thread could be executed now.
    fn is_ready(&self, thread: ThreadId) -> bool;

    /// How many children of a living thread are alive.
    fn living_children(&self, thread: ThreadId) -> u32;

    /// Whether the next instruction of a thread's parent, which is stalled, waits for the last
    /// instruction of this thread. It does unless a parent joins with its children one by one.
    #[inline]
    fn is_awaited(&self, _child: ThreadId) -> bool {
        true
    }

    /// The size of a thread's frame; it can still be asked right after the thread has died.
    fn frame(&self, thread: ThreadId) -> u64;

    /// The threads that the instruction executed last has join edges to, besides the one from the
    /// last instruction of a thread to its parent that every computation has.
    #[inline]
    fn joined(&self) -> &[ThreadId] {
        &[]
    }
}
