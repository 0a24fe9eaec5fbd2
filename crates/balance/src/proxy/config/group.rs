//! Upstream groups.

use std::path::Path;
use std::time::Duration;

use filch_policy::dispatch::Spec;
use pingora_http::RequestHeader;
use rustls_pki_types::ServerName;
use toml::Spanned;

use super::duration::{duration, optional};
use super::raw::{RawGroup, RawHealth, RawUpstreamTls};
use super::server::servers;
use super::source::{ConfigError, Source};
use super::value::whole;
use super::{Failures, Group, Health, Protocol, Queue, Timeouts, UpstreamTls};
use crate::proxy::{groups, tls};

/// What a group does if nothing is said; docs/proxy.md says why.
const POLICY: &str = "idle-fastest(sed)";

pub(super) fn groups(
    source: &Source<'_>,
    folder: &Path,
    raw: &Spanned<Vec<RawGroup>>,
) -> Result<Vec<Group>, ConfigError> {
    if raw.get_ref().is_empty() {
        return Err(source.refuse(
            raw.span().start,
            "groups",
            "there is none: add [[groups]] with a name and [[groups.servers]]",
        ));
    }
    let mut groups: Vec<Group> = Vec::new();
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

fn group(source: &Source<'_>, folder: &Path, raw: &RawGroup) -> Result<Group, ConfigError> {
    let name = raw.name.get_ref();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        let problem = format!(
            "'{}' is not allowed: use letters, digits, '-' and '_'",
            name.escape_debug()
        );
        return Err(source.refuse(raw.name.span().start, "groups.name", problem));
    }
    let group = Group {
        name: name.as_str().into(),
        policy: policy(source, raw)?,
        learned: learned(source, raw)?,
        retries: whole(source, "groups.retries", raw.retries.as_ref(), 0..=10)?.unwrap_or(3),
        protocol: protocol(source, raw)?,
        tls: raw
            .tls
            .as_ref()
            .map(|raw| upstream_tls(source, folder, raw))
            .transpose()?,
        timeouts: timeouts(source, raw)?,
        queue: queue(source, raw)?,
        health: raw
            .health
            .as_ref()
            .map(|raw| health(source, raw))
            .transpose()?,
        failures: failures(source, raw)?,
        servers: servers(source, &raw.servers)?,
    };
    let weights = group.servers.iter().filter(|s| s.weight.is_some()).count();
    if !group.learned && weights < group.servers.len() {
        let at = raw.speeds.as_ref().map_or(0, |said| said.span().start);
        let problem = "with \"weights\" every server of the group needs a weight: add them, or write \"learned\"";
        return Err(source.refuse(at, "groups.speeds", problem));
    }
    if let Err(problem) = groups::balancer(&group) {
        let at = raw.policy.as_ref().unwrap_or(&raw.name).span().start;
        return Err(source.refuse(at, "groups.policy", problem));
    }
    Ok(group)
}

fn policy(source: &Source<'_>, raw: &RawGroup) -> Result<Spec, ConfigError> {
    let name = raw.policy.as_ref();
    name.map_or(POLICY, |said| said.get_ref().as_str())
        .parse()
        .map_err(|problem| {
            let at = name.map_or(0, |said| said.span().start);
            source.refuse(at, "groups.policy", problem)
        })
}

/// One of a few words, each with what it means.
fn word<T: Copy>(
    source: &Source<'_>,
    field: &str,
    said: Option<&Spanned<String>>,
    words: &[(&str, T)],
) -> Result<Option<T>, ConfigError> {
    let Some(said) = said else { return Ok(None) };
    let found = words.iter().find(|(word, _)| word == said.get_ref());
    found.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
        let words: Vec<_> = words
            .iter()
            .map(|(word, _)| format!("\"{word}\""))
            .collect();
        let problem = format!(
            "'{}' is not allowed: write {}",
            said.get_ref().escape_debug(),
            words.join(" or ")
        );
        source.refuse(said.span().start, field, problem)
    })
}

fn learned(source: &Source<'_>, raw: &RawGroup) -> Result<bool, ConfigError> {
    let words = [("learned", true), ("weights", false)];
    Ok(word(source, "groups.speeds", raw.speeds.as_ref(), &words)?.unwrap_or(true))
}

fn protocol(source: &Source<'_>, raw: &RawGroup) -> Result<Protocol, ConfigError> {
    let words = [("http1", Protocol::Http1), ("http2", Protocol::Http2)];
    let said = word(source, "groups.protocol", raw.protocol.as_ref(), &words)?;
    Ok(said.unwrap_or(Protocol::Http1))
}

fn upstream_tls(
    source: &Source<'_>,
    folder: &Path,
    raw: &RawUpstreamTls,
) -> Result<UpstreamTls, ConfigError> {
    let name = raw.name.get_ref().as_str();
    if ServerName::try_from(name).is_err() {
        let problem = format!(
            "'{}' is no name that could be verified: write the one in the servers' certificates",
            name.escape_debug()
        );
        return Err(source.refuse(raw.name.span().start, "groups.tls.name", problem));
    }
    let ca = raw.ca.as_ref().map(|said| {
        let path = folder.join(said.get_ref());
        match tls::authorities(&path) {
            Ok(_) => Ok(path),
            Err(problem) => Err(source.refuse(said.span().start, "groups.tls.ca", problem)),
        }
    });
    Ok(UpstreamTls {
        name: raw.name.get_ref().clone(),
        ca: ca.transpose()?,
        verify: raw.verify.unwrap_or(true),
    })
}

fn timeouts(source: &Source<'_>, raw: &RawGroup) -> Result<Timeouts, ConfigError> {
    let none = Default::default();
    let raw = raw.timeouts.as_ref().unwrap_or(&none);
    let time = |field, said: &Option<_>, seconds| {
        duration(source, field, said.as_ref(), Duration::from_secs(seconds))
    };
    Ok(Timeouts {
        connect: time("groups.timeouts.connect", &raw.connect, 2)?,
        read: time("groups.timeouts.read", &raw.read, 60)?,
        write: time("groups.timeouts.write", &raw.write, 60)?,
        total: optional(source, "groups.timeouts.total", raw.total.as_ref())?,
        idle: time("groups.timeouts.idle", &raw.idle, 60)?,
    })
}

fn queue(source: &Source<'_>, raw: &RawGroup) -> Result<Queue, ConfigError> {
    let none = Default::default();
    let raw = raw.queue.as_ref().unwrap_or(&none);
    let length = raw.length.as_ref();
    let time =
        |field, said: &Option<_>| duration(source, field, said.as_ref(), Duration::from_secs(1));
    Ok(Queue {
        length: whole(source, "groups.queue.length", length, 0..=1_000_000)?.unwrap_or(1_000),
        wait: time("groups.queue.wait", &raw.wait)?,
        retry_after: time("groups.queue.retry_after", &raw.retry_after)?,
    })
}

fn health(source: &Source<'_>, raw: &RawHealth) -> Result<Health, ConfigError> {
    let path = raw.path.get_ref();
    let is_sendable = RequestHeader::build("GET", path.as_bytes(), None).is_ok();
    let printable = path.bytes().all(|byte| byte.is_ascii_graphic());
    if !path.starts_with('/') || !printable || !is_sendable {
        let problem = format!(
            "'{}' is not a path: write one such as \"/health\"",
            path.escape_debug()
        );
        return Err(source.refuse(raw.path.span().start, "groups.health.path", problem));
    }
    let host = raw
        .host
        .as_ref()
        .map_or("filch-health-check", |said| said.get_ref());
    if host.is_empty() || !host.bytes().all(|byte| byte.is_ascii_graphic()) {
        let at = raw.host.as_ref().map_or(0, |said| said.span().start);
        let problem = "it is not the name of a host: write one such as \"example.org\"";
        return Err(source.refuse(at, "groups.health.host", problem));
    }
    let time = |field, said: &Option<_>, seconds| {
        duration(source, field, said.as_ref(), Duration::from_secs(seconds))
    };
    let count = |field, said: &Option<_>, default| {
        whole(source, field, said.as_ref(), 1..=1000).map(|said| said.unwrap_or(default))
    };
    Ok(Health {
        path: path.clone(),
        host: host.to_owned(),
        interval: time("groups.health.interval", &raw.interval, 2)?,
        timeout: time("groups.health.timeout", &raw.timeout, 1)?,
        healthy: count("groups.health.healthy", &raw.healthy, 2)?,
        unhealthy: count("groups.health.unhealthy", &raw.unhealthy, 3)?,
    })
}

fn failures(source: &Source<'_>, raw: &RawGroup) -> Result<Failures, ConfigError> {
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
