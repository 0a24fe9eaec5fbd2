//! Which of two ready vertices comes first.

use super::named::named;

/// Which of two vertices that become ready together is pushed last and so executed next. ABP01's
/// analysis holds for any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// The next instruction of the same thread, as programs at the granularity of threads do.
    #[default]
    Continuation,
    /// The first instruction of the new thread, as BL99 does.
    Spawned,
}

impl Next {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Continuation, Self::Spawned];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continuation => "continuation",
            Self::Spawned => "spawned",
        }
    }
}

named!(Next, "order", Next::ALL);
