//! When a steal attempt may fail.

use std::fmt;
use std::str::FromStr;

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

impl fmt::Display for PopTop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PopTop {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| {
            format!(
                "unknown popTop '{}': use atomic or relaxed",
                name.escape_debug()
            )
        })
    }
}
