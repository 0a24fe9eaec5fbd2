use std::time::Duration;

use super::duration::duration;
use super::raw::RawClient;
use super::source::{ConfigError, Source};
use super::value::{whole, word};

/// Limits on clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientLimits {
    /// The largest request header in bytes; beyond it the answer is 431.
    pub header_bytes: usize,
    /// The most header fields; beyond it the answer is 431.
    pub headers: usize,
    /// The largest body of a request in bytes; beyond it the answer is 413.
    pub body_bytes: Option<u64>,
    /// How many connections there may be; beyond it the answer is 503. As many as the system allows
    /// if none.
    pub connections: Option<usize>,
    /// How many connections an address may have; beyond it the answer is 503.
    pub connections_each: Option<usize>,
    /// How long the whole header of a request may take; beyond it the answer is 408.
    pub header: Duration,
    /// How long a connection may be idle between requests.
    pub idle: Duration,
    /// How long to wait for the next part of a request's body.
    pub read: Duration,
    /// How long to wait until the client accepts the next part of the answer.
    pub write: Duration,
    /// What happens to `x-forwarded-for`.
    pub forwarded: Forwarded,
}

/// What happens to `x-forwarded-for`, which any client can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded {
    /// It becomes the client's address: right where clients connect directly.
    Replace,
    /// The client's address is added to it: right behind another proxy.
    Append,
}

pub(super) fn client(source: &Source<'_>, raw: &RawClient) -> Result<ClientLimits, ConfigError> {
    let minute = Duration::from_secs(60);
    let words = [
        ("replace", Forwarded::Replace),
        ("append", Forwarded::Append),
    ];
    let forwarded = word(source, "client.forwarded", raw.forwarded.as_ref(), &words)?;
    let bytes = raw.header_bytes.as_ref();
    let headers = raw.headers.as_ref();
    let connections = |field, value| whole(source, field, value, 1..=10_000_000);
    Ok(ClientLimits {
        header_bytes: whole(source, "client.header_bytes", bytes, 256..=1_000_000)?
            .unwrap_or(64 * 1024),
        headers: whole(source, "client.headers", headers, 1..=256)?.unwrap_or(128),
        body_bytes: whole(
            source,
            "client.body_bytes",
            raw.body_bytes.as_ref(),
            0..=u64::MAX >> 1,
        )?,
        connections: connections("client.connections", raw.connections.as_ref())?,
        connections_each: connections("client.connections_each", raw.connections_each.as_ref())?,
        header: duration(
            source,
            "client.header",
            raw.header.as_ref(),
            Duration::from_secs(10),
        )?,
        idle: duration(source, "client.idle", raw.idle.as_ref(), minute)?,
        read: duration(source, "client.read", raw.read.as_ref(), minute)?,
        write: duration(source, "client.write", raw.write.as_ref(), minute)?,
        forwarded: forwarded.unwrap_or(Forwarded::Replace),
    })
}
