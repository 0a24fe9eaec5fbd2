use std::sync::Arc;
use std::time::{Duration, Instant};

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, Version};

use super::active_config::ActiveConfig;
use super::client::Client;
use super::failed_attempt::FailedAttempt;
use super::failure::Failure;
use super::group::Group;
use super::group_state::ServerKey;
use super::held_server::HeldServer;
use super::host::host;
use super::log_line::LogLine;
use super::problem::Problem;
use super::proxy_state::{InFlight, ProxyState};
use super::request_body::RequestSource;
use super::request_id::id_of;
use crate::Told;

/// What is known about a request while it is in flight.
///
/// The server that it holds is in here, so its lease is returned when this is dropped, whatever
/// ends the request, a panic included. Before that, each way to end says what was learned about the
/// server: it has answered, it failed, or the client left, from which nothing is learned. Dropping
/// this also counts the request and writes its line into the access log.
pub(crate) struct RequestContext {
    pub(crate) begun: Instant,
    pub(crate) client: Client,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) host: String,
    pub(crate) version: Version,
    /// The id of the request, if requests have ids.
    id: Option<HeaderValue>,
    /// The configuration when the request came.
    pub(crate) active: Arc<ActiveConfig>,
    pub(crate) group: Option<Arc<Group>>,
    /// The server that has the request now.
    pub(crate) held: Option<HeldServer>,
    /// The last server that had it.
    pub(crate) server: Option<ServerKey>,
    /// Servers to avoid as long as there are others.
    pub(crate) tried: Vec<ServerKey>,
    /// How the last attempt failed.
    pub(crate) last_failure: Option<Failure>,
    pub(crate) attempts: usize,
    /// Whether a part of the current attempt may have been sent.
    pub(crate) connected: bool,
    /// The status of the server's answer.
    pub(crate) status: u16,
    /// What the server said about itself.
    pub(crate) told: Told,
    /// The time spent in queues.
    pub(crate) waited: Duration,
    /// The status that the client got.
    pub(crate) sent: Option<u16>,
    /// How many bytes of the answer's body it got.
    pub(crate) bytes: u64,
    /// When the answer has ended.
    pub(crate) over: Option<Instant>,
    /// How the request failed.
    pub(crate) failure: Option<Failure>,
    deadline: Option<Instant>,
    in_flight: InFlight,
}

impl RequestContext {
    /// A request that has come. It is on the heap, since it moves from one stage to the next.
    pub(crate) fn new(proxy: &Arc<ProxyState>, client: Client, request: &Parts) -> Box<Self> {
        let active = proxy.active();
        let ids = active.config.request_id.as_ref();
        let forwarded = active.config.client.forwarded;
        Box::new(Self {
            id: ids.and_then(|ids| id_of(&request.headers, &ids.name, forwarded)),
            begun: Instant::now(),
            client,
            method: request.method.clone(),
            uri: request.uri.clone(),
            host: host(&request.uri, &request.headers),
            version: request.version,
            active,
            group: None,
            held: None,
            server: None,
            tried: Vec::new(),
            last_failure: None,
            attempts: 0,
            connected: false,
            status: 0,
            told: Told::Silent,
            waited: Duration::ZERO,
            sent: None,
            bytes: 0,
            over: None,
            failure: None,
            deadline: None,
            in_flight: InFlight::new(proxy),
        })
    }

    /// The id of the request and its field, if it has one.
    pub(crate) fn id(&self) -> Option<(&HeaderName, &HeaderValue)> {
        Some((
            &self.active.config.request_id.as_ref()?.name,
            self.id.as_ref()?,
        ))
    }

    /// Tells the client the id of its request, if it is to know it.
    pub(crate) fn show_id(&self, answer: &mut HeaderMap) {
        let ids = self.active.config.request_id.as_ref();
        if ids.is_some_and(|ids| ids.answer)
            && let Some((name, id)) = self.id()
        {
            answer.insert(name, id.clone());
        }
    }

    /// The proxy.
    pub(crate) fn proxy(&self) -> &Arc<ProxyState> {
        self.in_flight.proxy()
    }

    /// The request's group in the configuration that is in use now; if that has no such group, the
    /// group as it was.
    pub(crate) fn current_group(&self) -> Result<Arc<Group>, Failure> {
        let Some(group) = &self.group else {
            return Err(Failure::Bug("a request without a group"));
        };
        let active = self.proxy().active();
        let current = active.group(&group.config.name).unwrap_or(group);
        Ok(Arc::clone(current))
    }

    /// Sets the deadline of the request by the total time-out of `group`, and returns it. None if
    /// there is no such time-out.
    pub(crate) fn set_deadline(&mut self, group: &Group) -> Option<Instant> {
        let total = group.config.timeouts.total;
        self.deadline = total.map(|total| self.begun + total);
        self.deadline
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| deadline <= Instant::now())
    }

    /// The request goes to this server.
    pub(crate) fn hold(&mut self, group: Arc<Group>, held: HeldServer) {
        let name = &held.server().name;
        self.attempts += 1;
        self.connected = false;
        self.server = Some(Arc::clone(name));
        self.group = Some(group);
        self.told = Told::Silent;
        self.held = Some(held);
    }

    /// The server has answered now: returns its lease, with what the server told.
    pub(crate) fn answered(&mut self, now: Instant) {
        self.over = Some(now);
        if let (Some(held), Some(group)) = (self.held.take(), &self.group) {
            let told = std::mem::replace(&mut self.told, Told::Silent);
            held.answered(self.status, told, group.config.failures, now);
        }
    }

    /// An attempt has failed: returns its lease. Returns how the request has failed with it, or
    /// nothing if there may be another attempt.
    pub(crate) fn attempt_failed(
        &mut self,
        failure: Failure,
        body: &RequestSource,
    ) -> Option<Failure> {
        let failure = match (body.failure(), failure) {
            // What the client has sent ended the attempt.
            (Some(failure), _) => failure,
            // The server cannot answer while it waits for the rest of the client's body.
            (None, Failure::ServerTimedOut) if !body.has_ended() => Failure::ClientTimedOut,
            (None, failure) => failure,
        };
        let by_server = failure.is_servers();
        self.last_failure = Some(failure);
        self.tried.extend(self.server.clone());
        let Some(group) = self.group.clone() else {
            return Some(failure);
        };
        if let Some(held) = self.held.take()
            && by_server
        {
            held.failed(group.config.failures);
        }
        let attempt = FailedAttempt {
            connected: self.connected,
            by_server,
            answered: self.sent.is_some(),
            idempotent: self.method.is_idempotent(),
            body_kept: body.is_kept(),
            attempts: self.attempts,
            retries: group.config.retries,
            late: self.is_late(),
        };
        if !attempt.may_repeat() {
            return Some(failure);
        }
        group.state.counts.had(Problem::of(failure));
        None
    }

    /// The request has failed.
    pub(crate) fn failed(&mut self, failure: Failure) {
        self.failure = Some(failure);
        match &self.group {
            Some(group) => group.state.counts.had(Problem::of(failure)),
            None => self.proxy().counts.refused.add(),
        }
    }
}

impl Drop for RequestContext {
    fn drop(&mut self) {
        if self.over.is_none() && self.failure.is_none() {
            self.failed(Failure::ClientLeft);
        }
        // The lease, if it is still here, returns with nothing learned.
        drop(self.held.take());
        let took = self.over.unwrap_or_else(Instant::now) - self.begun;
        if let Some(group) = &self.group {
            group.state.counts.ended(self.sent, took);
        }
        let log = &self.proxy().log;
        log.write(|| LogLine::new(self, took));
    }
}
