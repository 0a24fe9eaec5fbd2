//! Which ready instructions a greedy schedule executes.

use std::collections::VecDeque;

use filch_random::Stream;
use filch_workload::dag::ThreadId;
use rand::RngExt;

use super::named::named;

/// Which of more than P ready threads a greedy schedule goes on with. BL99's Theorem 1 holds for
/// any choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Those that have been ready longest: breadth first, and fair to all threads.
    #[default]
    Oldest,
    /// Those that became ready last: depth first.
    Newest,
    /// Any of them, at random.
    Random,
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Oldest, Self::Newest, Self::Random];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oldest => "oldest",
            Self::Newest => "newest",
            Self::Random => "random",
        }
    }

    /// Takes the next thread from those that are ready, oldest first.
    pub(super) fn take(
        self,
        ready: &mut VecDeque<ThreadId>,
        choosing: &mut Stream,
    ) -> Option<ThreadId> {
        match self {
            Self::Oldest => ready.pop_front(),
            Self::Newest => ready.pop_back(),
            Self::Random if ready.is_empty() => None,
            Self::Random => ready.swap_remove_back(choosing.random_range(0..ready.len())),
        }
    }
}

named!(Order, "order", Order::ALL);
