//! What a kernel is asked, and what it sees.

use std::fmt;

use filch_random::Stream;

/// How much a kernel may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Adversity {
    /// It chooses how many processes run; which ones is drawn at random.
    Benign,
    /// It chooses the processes without seeing the run.
    Oblivious,
    /// It sees the run.
    Adaptive,
}

impl fmt::Display for Adversity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Benign => "benign",
            Self::Oblivious => "oblivious",
            Self::Adaptive => "adaptive",
        })
    }
}

/// What a kernel may look at before a step.
#[derive(Clone, Copy, Debug)]
pub struct KernelSight<'a> {
    /// The step, counted from 1.
    pub step: u64,
    /// P.
    pub processes: usize,
    /// Which processes have an instruction to execute; `None` unless the kernel is adaptive.
    pub working: Option<&'a [bool]>,
    /// Which processes may run now; the others have yielded. `None` unless the kernel is adaptive.
    pub ready: Option<&'a [bool]>,
}

/// A kernel: which processes run in a step.
pub trait Kernel {
    /// How much it may know.
    fn adversity(&self) -> Adversity;

    /// Adds the processes of this step to `chosen`, which is empty: each at most once. A benign
    /// kernel's choice counts for its size alone.
    fn choose(&mut self, sight: &KernelSight<'_>, rng: &mut Stream, chosen: &mut Vec<usize>);
}
