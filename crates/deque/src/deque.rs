use crate::owner::Owner;
use crate::state::DequeState;
use crate::sync::Arc;
use crate::thief::Thief;

/// Makes a deque of pointers: the owner's end, and the thieves' end, which may be cloned.
///
/// The deque moves pointers and never reads what they point to. A pointer that leaves the deque
/// leaves it once.
pub fn deque<T: Sync>() -> (Owner<T>, Thief<T>) {
    let shared = Arc::new(DequeState::new());
    (Owner::new(Arc::clone(&shared)), Thief::new(shared))
}

/// The position of an item: one past its index, which was the value of `bottom` just after its
/// push.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub(crate) usize);

impl Position {
    /// The position as a number for an atomic. Positions compare as their numbers do.
    pub fn number(self) -> usize {
        self.0
    }
}

/// An item that was [forked](crate::Bottom::fork), for its owner, which takes it back: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork(pub(crate) usize);

/// What became of an item that its owner wants back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Take {
    /// The owner has it back.
    Mine,
    /// A thief has it, and every older item was stolen too.
    Stolen,
    /// Newer items lie above it. Pop them first, after a check of
    /// [attention](crate::Bottom::is_attention_raised).
    Covered,
}

/// The outcome of an attempt to steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum StealOutcome<P> {
    /// There was no item.
    Empty,
    /// There is an item, but its owner has not published it.
    Hidden,
    /// Another thread was faster. Another attempt may succeed.
    Lost,
    /// The condition did not hold.
    Refused,
    /// The oldest item.
    Got(P),
}
