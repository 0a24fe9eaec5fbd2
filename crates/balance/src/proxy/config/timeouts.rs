use std::time::Duration;

use super::duration::{duration, optional};
use super::raw::RawGroup;
use super::source::{ConfigError, Source};

/// Time-outs towards servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, handshakes included.
    pub connect: Duration,
    /// For the next part of the answer.
    pub read: Duration,
    /// Until the server accepts the next part of the request.
    pub write: Duration,
    /// For the whole request, from when it was read, with all attempts and the waits in the queue.
    pub total: Option<Duration>,
    /// How long an unused connection is kept.
    pub idle: Duration,
}

pub(super) fn timeouts(source: &Source<'_>, raw: &RawGroup) -> Result<Timeouts, ConfigError> {
    let none = Default::default();
    let raw = raw.timeouts.as_ref().unwrap_or(&none);
    let time = |field, value: &Option<_>, seconds| {
        duration(source, field, value.as_ref(), Duration::from_secs(seconds))
    };
    Ok(Timeouts {
        connect: time("groups.timeouts.connect", &raw.connect, 2)?,
        read: time("groups.timeouts.read", &raw.read, 60)?,
        write: time("groups.timeouts.write", &raw.write, 60)?,
        total: optional(source, "groups.timeouts.total", raw.total.as_ref())?,
        idle: time("groups.timeouts.idle", &raw.idle, 60)?,
    })
}
