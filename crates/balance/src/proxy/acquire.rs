//! How a request gets a server for its next attempt.

use std::sync::Arc;
use std::time::Instant;

use super::failure::Failure;
use super::group::Group;
use super::group_state::ServerKey;
use super::held_server::HeldServer;
use super::problem;
use super::request_context::RequestContext;
use crate::Refused;

impl RequestContext {
    /// Waits in the queue of `group` for a server, until `until`. Returns the server with its
    /// group. `belongs_to` are the servers of its session, and how many of them share it.
    ///
    /// Servers on which the request has failed are avoided. If there is no other, they are tried
    /// once more, unless the last failure was a time-out. A reload may start the group anew
    /// meanwhile; then the request waits on in the queue of the new group.
    pub(crate) async fn acquire(
        &mut self,
        mut group: Arc<Group>,
        belongs_to: Option<(Vec<ServerKey>, usize)>,
        until: Instant,
    ) -> Result<(Arc<Group>, HeldServer), Failure> {
        let mut may_repeat = !self.has_timed_out();
        loop {
            let wait = group.state.balancer.wait().avoiding(self.tried.clone());
            let wait = wait.at_most(group.config.queue.length);
            let wait = match &belongs_to {
                Some((servers, among)) => wait.preferring(servers.clone(), *among),
                None => wait,
            };
            let refused = match tokio::time::timeout_at(until.into(), wait).await {
                Ok(Ok(lease)) => match group.state.server(lease.server()) {
                    Some(server) => return Ok((group, HeldServer::new(lease, server))),
                    // The server has left since the decision: decide again.
                    None => continue,
                },
                Ok(Err(refused)) => Some(refused),
                Err(_) => None,
            };
            if refused == Some(Refused::AllTried) && may_repeat {
                may_repeat = false;
                self.tried.clear();
                continue;
            }
            if refused == Some(Refused::Closed) {
                let current = self.current_group()?;
                if !Arc::ptr_eq(&current.state, &group.state) {
                    group = current;
                    continue;
                }
            }
            return Err(problem::no_server(refused, self.last_failure));
        }
    }

    /// Whether the last attempt ended with a time-out: that server would probably hang again. After
    /// another failure the same server may work at once. A kept connection, for example, breaks
    /// when its server restarts, and the next connection works.
    fn has_timed_out(&self) -> bool {
        self.last_failure == Some(Failure::ServerTimedOut)
    }
}
