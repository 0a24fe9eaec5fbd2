//! What the theorems ask about a computation and a machine.

/// The measures of a computation, and the number of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypotheses {
    /// T1: the number of instructions.
    pub work: u64,
    /// Tinf: the instructions on a longest path.
    pub span: u64,
    /// S1: the least space of one processor.
    pub stack_depth: u64,
    /// nd: the most join edges from a thread to its parent.
    pub nd: u64,
    /// Smax: the largest frame.
    pub largest_frame: u64,
    /// P, at least 1.
    pub processors: u64,
}

#[cfg(test)]
pub(super) const FIGURE_1: Hypotheses = Hypotheses {
    work: 23,
    span: 10,
    stack_depth: 3,
    nd: 2,
    largest_frame: 1,
    processors: 2,
};
