use crate::{Duration, SiteId};

/// The number of a [`Stretch`] in [`Profile::stretches`](crate::Profile::stretches).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StretchId(pub u32);

/// A time in which a worker ran one job that came to it from elsewhere: a section's root, a stolen
/// job, a spawned one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The worker.
    pub worker: u32,
    /// The site that forked the job.
    pub site: SiteId,
    /// The stretch in which it was forked, if that was kept.
    pub forked_in: Option<StretchId>,
    /// When it was forked.
    pub forked: Duration,
    /// When it began.
    pub began: Duration,
    /// When it ended.
    pub ended: Duration,
    /// How much of that the worker waited for stolen jobs, or ran others meanwhile.
    pub waited: Duration,
}
