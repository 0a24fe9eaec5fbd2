use crate::owner::Owner;
use crate::state::DequeState;
use crate::sync::Arc;
use crate::thief::Thief;

/// A new deque of pointers: the end for its owner, and the end for thieves, which may be cloned.
///
/// The deque moves pointers about and never looks at what they point to; whoever gets one out of it
/// has it alone. No two items that are in it at the same time may have the same address.
pub fn deque<T: Sync>() -> (Owner<T>, Thief<T>) {
    let shared = Arc::new(DequeState::new());
    (Owner::new(Arc::clone(&shared)), Thief::new(shared))
}

/// Where an item lies: one past its index, which is what `bottom` was when it had just been pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub(crate) usize);

impl Position {
    /// A number to keep in an atomic: places compare as their numbers do.
    pub fn number(self) -> usize {
        self.0
    }
}

/// What became of an item that its owner wants back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Take {
    /// It is the owner's again.
    Mine,
    /// A thief has it, and everything older.
    Stolen,
    /// Newer items lie above it: pop them first, after a look whether [somebody wants
    /// them](crate::Bottom::is_attention_raised).
    Covered,
}

/// What came of an attempt to steal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum StealOutcome<P> {
    /// There was nothing.
    Empty,
    /// There is something, but its owner has not published it.
    Hidden,
    /// Somebody else was faster. Another attempt may succeed.
    Lost,
    /// The condition did not hold.
    Refused,
    /// The oldest item.
    Got(P),
}
