use std::time::Duration;

use filch_workload::ServiceTime;

/// What a [`ToyServer`](super::ToyServer) is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToyKind {
    /// How long it serves a request, in milliseconds.
    pub law: ServiceTime,
    /// How many requests it serves at a time; the others wait, first come, first served.
    pub at_once: usize,
    /// Answers every request with 500, after this time instead.
    pub fails_after: Option<Duration>,
}

/// One request at a time, without failures.
impl From<ServiceTime> for ToyKind {
    fn from(law: ServiceTime) -> Self {
        Self {
            law,
            at_once: 1,
            fails_after: None,
        }
    }
}
