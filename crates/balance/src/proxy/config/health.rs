use std::ops::RangeInclusive;
use std::time::Duration;

use http::uri::PathAndQuery;
use toml::Spanned;

use super::duration::duration;
use super::raw::{RawGroup, RawHealth};
use super::source::{ConfigError, Source};
use super::value::whole;

/// Active health checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The path to request; a status from 200 to 299 passes.
    pub path: String,
    /// The `Host` to send.
    pub host: String,
    /// The time between two checks of a server.
    pub interval: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How many checks must pass in a row for a server to come up.
    pub healthy: u32,
    /// How many must fail in a row for it to go down.
    pub unhealthy: u32,
}

/// Passive health checks: requests that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// How many failures in a row pause a server; 0 means never.
    pub consecutive: u32,
    /// How long the pause is.
    pub pause: Duration,
}

pub(super) fn health(source: &Source<'_>, raw: &RawHealth) -> Result<Health, ConfigError> {
    let time = |field, value: &Option<_>, seconds| {
        duration(source, field, value.as_ref(), Duration::from_secs(seconds))
    };
    let count = |field, value: &Option<_>, default| {
        whole(source, field, value.as_ref(), 1..=1000).map(|value| value.unwrap_or(default))
    };
    Ok(Health {
        path: path(source, raw)?,
        host: host(source, raw)?,
        interval: time("groups.health.interval", &raw.interval, 2)?,
        timeout: time("groups.health.timeout", &raw.timeout, 1)?,
        healthy: count("groups.health.healthy", &raw.healthy, 2)?,
        unhealthy: count("groups.health.unhealthy", &raw.unhealthy, 3)?,
    })
}

fn path(source: &Source<'_>, raw: &RawHealth) -> Result<String, ConfigError> {
    let path = raw.path.get_ref();
    let is_sendable = PathAndQuery::try_from(path.as_str()).is_ok();
    let printable = path.bytes().all(|byte| byte.is_ascii_graphic());
    if !path.starts_with('/') || !printable || !is_sendable {
        let problem = format!(
            "'{}' is not a path: write one such as \"/health\"",
            path.escape_debug()
        );
        return Err(source.refuse(raw.path.span().start, "groups.health.path", problem));
    }
    Ok(path.clone())
}

fn host(source: &Source<'_>, raw: &RawHealth) -> Result<String, ConfigError> {
    let host = raw
        .host
        .as_ref()
        .map_or("filch-health-check", |value| value.get_ref());
    if host.is_empty() || !host.bytes().all(|byte| byte.is_ascii_graphic()) {
        let at = raw.host.as_ref().map_or(0, |value| value.span().start);
        let problem = "it is not the name of a host: write one such as \"example.org\"";
        return Err(source.refuse(at, "groups.health.host", problem));
    }
    Ok(host.to_owned())
}

pub(super) fn failures(source: &Source<'_>, raw: &RawGroup) -> Result<Failures, ConfigError> {
    let none = Default::default();
    let raw = raw.failures.as_ref().unwrap_or(&none);
    let consecutive = raw.consecutive.as_ref();
    let pause = raw.pause.as_ref();
    Ok(Failures {
        consecutive: whole(source, "groups.failures.consecutive", consecutive, 0..=1000)?
            .unwrap_or(3),
        pause: duration(
            source,
            "groups.failures.pause",
            pause,
            Duration::from_secs(5),
        )?,
    })
}

/// The statuses that are failures: `"500-599"` unless the file says otherwise.
pub(super) fn failing(
    source: &Source<'_>,
    raw: &RawGroup,
) -> Result<Vec<RangeInclusive<u16>>, ConfigError> {
    let raw = raw.failures.as_ref().and_then(|raw| raw.statuses.as_ref());
    let Some(raw) = raw else {
        return Ok(vec![500..=599]);
    };
    let range = |text: &Spanned<String>| {
        statuses(text.get_ref()).ok_or_else(|| {
            let problem = format!(
                "'{}' is not a status or a range: write one from 100 to 599 such as \"429\" or \
                 \"500-599\"",
                text.get_ref().escape_debug()
            );
            source.refuse(text.span().start, "groups.failures.statuses", problem)
        })
    };
    raw.iter().map(range).collect()
}

fn statuses(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let status = |text: &str| {
        let digits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let status = text.parse::<u16>().ok().filter(|_| digits);
        status.filter(|status| (100..=599).contains(status))
    };
    let (first, last) = (status(first)?, status(last)?);
    (first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_read() {
        for (text, expected) in [
            ("500-599", Some(500..=599)),
            ("429", Some(429..=429)),
            ("599-500", None),
            ("600", None),
            ("99", None),
            ("+29", None),
            ("500-", None),
            ("", None),
        ] {
            assert_eq!(statuses(text), expected, "{text}");
        }
    }
}
