use std::fmt::Display;
use std::time::Duration;

use http::{StatusCode, Version};
use serde::Serialize;

use super::client_address::ClientAddress;
use super::problem::Problem;
use super::request_context::RequestContext;
use super::time;

/// What the access log says about a request. Times are in milliseconds.
#[derive(Debug, Default, Serialize)]
pub(crate) struct LogLine<'a> {
    pub(crate) time: String,
    /// Left out if requests have no ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) client: Option<String>,
    pub(crate) method: &'a str,
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    pub(crate) version: &'static str,
    /// The status that the client got; none if it left before.
    pub(crate) status: Option<u16>,
    pub(crate) bytes: u64,
    pub(crate) group: Option<&'a str>,
    /// The last server that was tried.
    pub(crate) server: Option<&'a str>,
    pub(crate) attempts: usize,
    pub(crate) waited: f64,
    pub(crate) took: f64,
    pub(crate) problem: Option<&'static str>,
    pub(crate) detail: Option<String>,
}

impl<'a> LogLine<'a> {
    /// The line about a request that has ended.
    pub(crate) fn new(context: &'a RequestContext, took: Duration) -> Self {
        Self {
            time: time::now(),
            id: context.id().and_then(|(_, id)| id.to_str().ok()),
            client: Some(context.client.address.to_string()),
            method: context.method.as_str(),
            host: &context.host,
            path: context.uri.path(),
            version: match context.version {
                Version::HTTP_2 => "2",
                Version::HTTP_10 => "1.0",
                _ => "1.1",
            },
            status: context.sent,
            bytes: context.bytes,
            group: context.group.as_ref().map(|group| &*group.config.name),
            server: context.server.as_deref(),
            attempts: context.attempts,
            waited: milliseconds(context.waited),
            took: milliseconds(took),
            problem: context.failure.map(|it| Problem::of(it).name()),
            detail: context.failure.map(|it| it.to_string()),
        }
    }

    /// The line about something that was refused before it was a request.
    pub(crate) fn refused(client: ClientAddress, status: StatusCode) -> Self {
        Self {
            time: time::now(),
            client: Some(client.to_string()),
            status: Some(status.as_u16()),
            problem: Some(Problem::BadRequest.name()),
            detail: status.canonical_reason().map(str::to_owned),
            ..Self::default()
        }
    }

    /// The line about a connection that was closed without an answer.
    pub(crate) fn closed(peer: ClientAddress, problem: &impl Display) -> Self {
        Self {
            time: time::now(),
            client: Some(peer.to_string()),
            problem: Some(Problem::BadRequest.name()),
            detail: Some(problem.to_string()),
            ..Self::default()
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
