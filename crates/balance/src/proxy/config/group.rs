use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use filch_policy::dispatch::Spec;
use http::HeaderValue;
use http::uri::Authority;
use toml::Spanned;

use super::duration::duration;
use super::health::{Failures, Health, failing, failures, health};
use super::queue::{QueueLimits, queue};
use super::raw::RawGroup;
use super::server::{ServerConfig, servers};
use super::source::{ConfigError, Source};
use super::sticky::{Sticky, sticky};
use super::timeouts::{Timeouts, timeouts};
use super::upstream_tls::{UpstreamTls, upstream_tls};
use super::value::{whole, word};
use crate::proxy::group_state;

/// The policy of a group that names none; docs/proxies.md has the reasons.
const POLICY: &str = "considerate";

/// A group: interchangeable servers behind one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupConfig {
    /// Its name.
    pub name: Arc<str>,
    /// Where a request goes.
    pub policy: Spec,
    /// Whether speeds are learned; otherwise the weights are the speeds.
    pub learned: bool,
    /// How many attempts may follow the first, where that is safe.
    pub retries: usize,
    /// The protocol to the servers.
    pub protocol: Protocol,
    /// The host that servers are asked for; none if it is the client's.
    pub host: Option<HeaderValue>,
    /// TLS to the servers.
    pub tls: Option<UpstreamTls>,
    /// Time-outs towards the servers.
    pub timeouts: Timeouts,
    /// The queue for requests that find all servers at their limits.
    pub queue: QueueLimits,
    /// How often the names of servers are looked up again.
    pub resolve: Duration,
    /// Whether sessions stay at their servers.
    pub sticky: Option<Sticky>,
    /// Active health checks.
    pub health: Option<Health>,
    /// Passive health checks.
    pub failures: Failures,
    /// The statuses of answers that are failures.
    pub failing: Vec<RangeInclusive<u16>>,
    /// The servers.
    pub servers: Vec<ServerConfig>,
}

/// A protocol to servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

pub(super) fn groups(
    source: &Source<'_>,
    folder: &Path,
    raw: &Spanned<Vec<RawGroup>>,
) -> Result<Vec<GroupConfig>, ConfigError> {
    if raw.get_ref().is_empty() {
        return Err(source.refuse(
            raw.span().start,
            "groups",
            "there is none: add [[groups]] with a name and [[groups.servers]]",
        ));
    }
    let mut groups: Vec<GroupConfig> = Vec::new();
    for raw in raw.get_ref() {
        let group = group(source, folder, raw)?;
        if groups.iter().any(|earlier| earlier.name == group.name) {
            let problem = format!("there are two groups '{}': rename one", group.name);
            return Err(source.refuse(raw.name.span().start, "groups.name", problem));
        }
        groups.push(group);
    }
    Ok(groups)
}

fn group(source: &Source<'_>, folder: &Path, raw: &RawGroup) -> Result<GroupConfig, ConfigError> {
    let name = raw.name.get_ref();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        let problem = format!(
            "'{}' is not allowed: use letters, digits, '-' and '_'",
            name.escape_debug()
        );
        return Err(source.refuse(raw.name.span().start, "groups.name", problem));
    }
    let group = GroupConfig {
        name: name.as_str().into(),
        policy: policy(source, raw)?,
        learned: learned(source, raw)?,
        retries: whole(source, "groups.retries", raw.retries.as_ref(), 0..=10)?.unwrap_or(3),
        protocol: protocol(source, raw)?,
        host: host(source, raw)?,
        tls: raw
            .tls
            .as_ref()
            .map(|raw| upstream_tls(source, folder, raw))
            .transpose()?,
        timeouts: timeouts(source, raw)?,
        queue: queue(source, raw)?,
        resolve: duration(
            source,
            "groups.resolve",
            raw.resolve.as_ref(),
            Duration::from_secs(30),
        )?,
        sticky: raw
            .sticky
            .as_ref()
            .map(|raw| sticky(source, raw))
            .transpose()?,
        health: raw
            .health
            .as_ref()
            .map(|raw| health(source, raw))
            .transpose()?,
        failures: failures(source, raw)?,
        failing: failing(source, raw)?,
        servers: servers(source, folder, &raw.servers)?,
    };
    let weights = group.servers.iter().filter(|s| s.weight.is_some()).count();
    if !group.learned && weights < group.servers.len() {
        let at = raw.speeds.as_ref().map_or(0, |value| value.span().start);
        let problem = "with \"weights\" every server of the group needs a weight: add them, or \
                       write \"learned\"";
        return Err(source.refuse(at, "groups.speeds", problem));
    }
    if let Err(problem) = group_state::balancer(&group) {
        let at = raw.policy.as_ref().unwrap_or(&raw.name).span().start;
        return Err(source.refuse(at, "groups.policy", problem));
    }
    Ok(group)
}

fn policy(source: &Source<'_>, raw: &RawGroup) -> Result<Spec, ConfigError> {
    let name = raw.policy.as_ref();
    name.map_or(POLICY, |value| value.get_ref().as_str())
        .parse()
        .map_err(|problem| {
            let at = name.map_or(0, |value| value.span().start);
            source.refuse(at, "groups.policy", problem)
        })
}

fn learned(source: &Source<'_>, raw: &RawGroup) -> Result<bool, ConfigError> {
    let words = [("learned", true), ("weights", false)];
    Ok(word(source, "groups.speeds", raw.speeds.as_ref(), &words)?.unwrap_or(true))
}

fn host(source: &Source<'_>, raw: &RawGroup) -> Result<Option<HeaderValue>, ConfigError> {
    let Some(value) = raw.host.as_ref() else {
        return Ok(None);
    };
    let text = value.get_ref();
    let is_host = !text.contains('@') && text.parse::<Authority>().is_ok();
    let host = HeaderValue::from_str(text).ok().filter(|_| is_host);
    host.map(Some).ok_or_else(|| {
        let problem = format!(
            "'{}' is not a host: write one such as \"models.example.org\"",
            text.escape_debug()
        );
        source.refuse(value.span().start, "groups.host", problem)
    })
}

fn protocol(source: &Source<'_>, raw: &RawGroup) -> Result<Protocol, ConfigError> {
    let words = [("http1", Protocol::Http1), ("http2", Protocol::Http2)];
    let value = word(source, "groups.protocol", raw.protocol.as_ref(), &words)?;
    Ok(value.unwrap_or(Protocol::Http1))
}
