//! What is known about a request while it is served.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Version;
use pingora_error::{Error, ErrorType, Result};
use pingora_proxy::Session;

use super::access::Entry;
use super::forward;
use super::groups::{Group, Key};
use super::held::{Held, Nobody};
use super::metrics::Problem;
use super::problem;
use super::queue::Turned;
use super::shared::{Counted, Shared};
use super::table::Table;
use super::time;
use crate::Told;

/// A request that is being served.
pub(crate) struct Context {
    begun: Instant,
    /// The configuration when the request came.
    pub(crate) table: Arc<Table>,
    pub(crate) group: Option<Arc<Group>>,
    /// The server that has the request now.
    pub(crate) held: Option<Held>,
    /// The last server that had it.
    pub(crate) server: Option<Key>,
    /// Servers that need not be tried again as long as there are others.
    pub(crate) avoided: Vec<Key>,
    /// How the last attempt failed.
    pub(crate) last: Option<ErrorType>,
    pub(crate) attempts: usize,
    /// Whether the current attempt has a connection.
    pub(crate) connected: bool,
    /// What the server said about itself.
    pub(crate) told: Told,
    pub(crate) waited: Duration,
    pub(crate) problem: Option<Problem>,
    deadline: Option<Instant>,
    shared: Arc<Shared>,
    _counted: Counted,
}

impl Context {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            begun: Instant::now(),
            table: shared.table(),
            group: None,
            held: None,
            server: None,
            avoided: Vec::new(),
            last: None,
            attempts: 0,
            connected: false,
            told: Told::Silent,
            waited: Duration::ZERO,
            problem: None,
            deadline: None,
            shared: Arc::clone(shared),
            _counted: Counted::new(shared),
        }
    }

    /// The group of this request in the configuration at work; if that no longer has it, as it was.
    pub(crate) fn current_group(&self, shared: &Shared) -> Result<Arc<Group>> {
        let Some(group) = &self.group else {
            return Error::e_explain(ErrorType::InternalError, "a request without a group");
        };
        let table = shared.table();
        let current = table.group(&group.said.name).unwrap_or(group);
        Ok(Arc::clone(current))
    }

    /// A server of `group` for the next attempt, once it is the request's turn. If the group is started anew
    /// meanwhile, `group` becomes the new one.
    pub(crate) async fn acquire(
        &mut self,
        shared: &Shared,
        group: &mut Arc<Group>,
        until: Instant,
    ) -> Result<Held> {
        let mut again = self.is_worth_repeating();
        loop {
            let why = match Held::acquire(group, &self.avoided, until).await {
                Ok(held) => return Ok(held),
                Err(why) => why,
            };
            if why == Nobody::AllTried && again {
                again = false;
                self.avoided.clear();
                continue;
            }
            if why == Nobody::Turned(Turned::Moved) {
                let current = self.current_group(shared)?;
                if !Arc::ptr_eq(&current.live, &group.live) {
                    *group = current;
                    continue;
                }
            }
            return Err(problem::nobody(why, self.last.as_ref()));
        }
    }

    /// Whether a server that failed like the last one may do better at once: a kept connection breaks when
    /// a server starts anew, which says nothing about the next one. One that hangs would hang again.
    fn is_worth_repeating(&self) -> bool {
        !matches!(
            self.last,
            Some(ErrorType::ReadTimedout | ErrorType::WriteTimedout)
        )
    }

    /// When the request has to be answered, if there is such a time.
    pub(crate) fn deadline(&mut self, group: &Group) -> Option<Instant> {
        self.deadline = group.said.timeouts.total.map(|total| self.begun + total);
        self.deadline
    }

    /// Whether that time is over.
    pub(crate) fn late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| deadline <= Instant::now())
    }

    /// The server has answered: gives it back with what it told.
    pub(crate) fn answered(&mut self) {
        if let Some(held) = self.held.take() {
            held.answered(std::mem::replace(&mut self.told, Told::Silent));
        }
    }

    /// Counts the request and writes its line into the access log.
    pub(crate) fn log(&self, session: &Session, error: Option<&Error>) {
        let took = self.begun.elapsed();
        let status = session
            .response_written()
            .map(|written| written.status.as_u16());
        if let Some(group) = &self.group {
            group.live.counts.ended(status, took);
        }
        let request = session.req_header();
        self.shared.log.write(&Entry {
            time: time::now(),
            client: session.client_addr().map(ToString::to_string),
            method: request.method.as_str(),
            host: &forward::host(request),
            path: request.uri.path(),
            version: match request.version {
                Version::HTTP_2 => "2",
                Version::HTTP_10 => "1.0",
                _ => "1.1",
            },
            status,
            bytes: session.body_bytes_sent(),
            group: self.group.as_ref().map(|group| &*group.said.name),
            server: self.server.as_deref(),
            attempts: self.attempts,
            waited: milliseconds(self.waited),
            took: milliseconds(took),
            problem: self.problem.map(Problem::name),
            detail: error.map(ToString::to_string),
        });
    }
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
