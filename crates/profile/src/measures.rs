use crate::Duration;

/// What a computation measures, by itself: its work, its span and its forks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// T1: the time of all strands together.
    pub work: Duration,
    /// Tinf: the time of the longest path, to the end of the last child.
    pub span: Duration,
    /// The time of the longest path to the last instruction of the task itself. It is shorter than
    /// `span` if the task leaves children behind, for which a scope around it waits.
    pub path: Duration,
    /// The joins and spawns.
    pub forks: u64,
}
