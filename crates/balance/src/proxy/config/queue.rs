use std::time::Duration;

use super::duration::duration;
use super::raw::RawGroup;
use super::source::{ConfigError, Source};
use super::value::whole;

/// Limits on the queue of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// How many requests may wait.
    pub length: usize,
    /// How long one waits at most.
    pub wait: Duration,
    /// What `Retry-After` says to clients that are turned away.
    pub retry_after: Duration,
}

pub(super) fn queue(source: &Source<'_>, raw: &RawGroup) -> Result<QueueLimits, ConfigError> {
    let none = Default::default();
    let raw = raw.queue.as_ref().unwrap_or(&none);
    let length = raw.length.as_ref();
    let time =
        |field, value: &Option<_>| duration(source, field, value.as_ref(), Duration::from_secs(1));
    Ok(QueueLimits {
        length: whole(source, "groups.queue.length", length, 0..=1_000_000)?.unwrap_or(1_000),
        wait: time("groups.queue.wait", &raw.wait)?,
        retry_after: time("groups.queue.retry_after", &raw.retry_after)?,
    })
}
