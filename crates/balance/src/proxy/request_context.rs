use std::sync::Arc;
use std::time::{Duration, Instant};

use pingora_error::{Error, ErrorType, Result};
use pingora_proxy::Session;

use super::active_config::ActiveConfig;
use super::body_limit::BodySize;
use super::group::Group;
use super::group_state::ServerKey;
use super::held_server::HeldServer;
use super::log_line::LogLine;
use super::problem::Problem;
use super::proxy_state::{InFlight, ProxyState};
use crate::Told;

/// What is known about a request while it is in flight.
pub(crate) struct RequestContext {
    pub(crate) begun: Instant,
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
    pub(crate) last_error: Option<ErrorType>,
    pub(crate) attempts: usize,
    /// Whether the current attempt has a connection.
    pub(crate) connected: bool,
    /// The status of the server's answer.
    pub(crate) status: u16,
    /// What the server said about itself.
    pub(crate) told: Told,
    /// The time spent in queues.
    pub(crate) waited: Duration,
    pub(crate) problem: Option<Problem>,
    pub(crate) body: BodySize,
    deadline: Option<Instant>,
    in_flight: InFlight,
}

impl RequestContext {
    pub(crate) fn new(proxy: &Arc<ProxyState>) -> Self {
        Self {
            begun: Instant::now(),
            active: proxy.active(),
            group: None,
            held: None,
            server: None,
            tried: Vec::new(),
            last_error: None,
            attempts: 0,
            connected: false,
            status: 0,
            told: Told::Silent,
            waited: Duration::ZERO,
            problem: None,
            body: BodySize::default(),
            deadline: None,
            in_flight: InFlight::new(proxy),
        }
    }

    /// The request's group in the configuration that is in use now; if that has no such group, the
    /// group as it was.
    pub(crate) fn current_group(&self) -> Result<Arc<Group>> {
        let Some(group) = &self.group else {
            return Error::e_explain(ErrorType::InternalError, "a request without a group");
        };
        let active = self.in_flight.proxy().active();
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
        self.body = BodySize::default();
        self.tried.push(Arc::clone(name));
        self.server = Some(Arc::clone(name));
        self.group = Some(group);
        self.told = Told::Silent;
        self.held = Some(held);
    }

    /// The server has answered: returns its lease, with what the server told.
    pub(crate) fn answered(&mut self) {
        if let (Some(held), Some(group)) = (self.held.take(), &self.group) {
            let told = std::mem::replace(&mut self.told, Told::Silent);
            held.answered(self.status, told, group.config.failures);
        }
    }

    /// Counts the request and writes its line into the access log.
    pub(crate) fn log(&self, session: &Session, error: Option<&Error>) {
        let took = self.begun.elapsed();
        let written = session.response_written();
        let status = written.map(|written| written.status.as_u16());
        if let Some(group) = &self.group {
            group.state.counts.ended(status, took);
        }
        let log = &self.in_flight.proxy().log;
        log.write(|| LogLine::new(self, session, status, took, error));
    }
}
