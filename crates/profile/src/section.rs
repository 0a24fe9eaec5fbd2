use crate::{Duration, Measures, SiteId, TaskId};

/// One entry into the scheduler from outside, until its return; or a job that is spawned on its
/// own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The call that entered.
    pub site: SiteId,
    /// When, since the beginning of the recording.
    pub entered: Duration,
    /// When it returned.
    pub left: Duration,
    /// The thread that called, by a number of its own.
    pub caller: u32,
    /// Whether the caller waited for it. It does not wait for a job that is spawned on its own.
    pub is_awaited: bool,
    /// What was run.
    pub root: TaskId,
    /// What that measured: exact, where the dag may be a little off.
    pub measures: Measures,
    /// How many jobs thieves ran in it.
    pub steals: u64,
}
