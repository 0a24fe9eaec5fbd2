use std::time::Duration;

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A good answer came.
    Answered,
    /// A bad answer came, or the connection broke.
    Failed,
    /// No answer came in time.
    TimedOut,
    /// The run ended before an answer came.
    Unfinished,
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was to start, counted from the start of the load.
    pub start: Duration,
    /// The dispatcher by which it entered.
    pub entry: usize,
    /// From the intended start to the end.
    pub latency: Duration,
    /// How it ended.
    pub fate: Fate,
}
