//! When a steal attempt may fail.

use super::named::named;

/// The two versions of `popTop` in ABP01's specification of the deque.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PopTop {
    /// An attempt fails only on an empty deque. All executions of a round come first, then all
    /// attempts.
    #[default]
    Atomic,
    /// An attempt may also fail by contention. Thieves look for their vertices when the round
    /// begins. An attempt fails if there was none, or if by the time that it would take the vertex
    /// the owner or another thief has taken it in the same round.
    Relaxed,
}

impl PopTop {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Atomic, Self::Relaxed];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Relaxed => "relaxed",
        }
    }
}

named!(PopTop, "popTop", PopTop::ALL);
