//! A schedule as a value that can be drawn and replayed.

use serde::Serialize;

/// Everything that happened in a run, step by step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// P.
    pub processors: usize,
    /// The threads in the order of their births.
    pub threads: Vec<RecordedThread>,
    /// The steps, the first of which has number 1.
    pub steps: Vec<RecordedStep>,
}

/// A thread of a recorded run; elsewhere it is named by its place in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedThread {
    /// What it is called.
    pub name: String,
    /// Its parent's place in the list.
    pub parent: Option<usize>,
    /// The size of its frame.
    pub frame: u64,
}

/// A step: how it began and what was done.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordedStep {
    /// For each processor its deque from bottom to top when the step began; empty if the machine
    /// has none.
    pub deques: Vec<Vec<usize>>,
    /// The living threads that no processor worked on and that were in no deque when the step
    /// began.
    pub pool: Vec<Pooled>,
    /// What each processor did.
    pub acts: Vec<Act>,
    /// The requests that were served at the end of the step.
    pub served: Vec<ServedRequest>,
}

/// A thread that waits where all processors can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pooled {
    /// The thread.
    pub thread: usize,
    /// Whether it is ready; otherwise it is stalled.
    pub ready: bool,
}

/// What a processor did in a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "act", rename_all = "lowercase")]
pub enum Act {
    /// It executed an instruction.
    Work {
        /// The thread of the instruction.
        thread: usize,
        /// The name of the instruction.
        instruction: String,
        /// The thread that it spawned.
        #[serde(skip_serializing_if = "Option::is_none")]
        spawns: Option<usize>,
        /// The stalled threads that it enabled.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        enables: Vec<usize>,
        /// What became of the thread.
        then: Then,
    },
    /// It began a steal attempt.
    Steal {
        /// The processor that is asked.
        victim: usize,
    },
    /// It waited for a request that was not served yet.
    Wait,
    /// It had nothing to do.
    Idle,
}

/// What became of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    /// It could go on.
    Ready,
    /// It had to wait.
    Stalled,
    /// It ended.
    Dead,
}

/// A request that was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ServedRequest {
    /// The processor that asked.
    pub thief: usize,
    /// The processor that was asked.
    pub victim: usize,
    /// The stolen thread, if there was one.
    pub thread: Option<usize>,
}
