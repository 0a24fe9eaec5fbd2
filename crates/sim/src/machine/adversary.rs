//! Which request is served first when several processors ask for the same deque.

use super::named::named;

/// The adversary of BL99 section 5, which serves one request to each deque a step and chooses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adversary {
    /// The request that has waited longest; of several in one step that of the processor with the
    /// least number.
    #[default]
    Fifo,
    /// The request that came last; of several in one step that of the processor with the greatest
    /// number.
    Lifo,
    /// Any of them, at random.
    Random,
}

impl Adversary {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fifo, Self::Lifo, Self::Random];

    /// The name, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::Lifo => "lifo",
            Self::Random => "random",
        }
    }
}

named!(Adversary, "adversary", Adversary::ALL);
