use std::fmt;
use std::hash::Hash;
use std::sync::Arc;
#[cfg(all(feature = "proxy", unix))]
use std::time::Instant;

use crate::core::{LeaseEnd, Sent};
use crate::{Balancer, Outcome, Told};

/// A request that has been given to a server.
///
/// It is returned exactly once, however the request ends: by one of the methods that take it, or by
/// being dropped when the client leaves, a time-out strikes or its holder panics.
#[must_use = "a lease that is dropped counts as a request that was abandoned"]
pub struct Lease<K: Eq + Hash> {
    balancer: Balancer<K>,
    key: Arc<K>,
    /// `None` once it is given back.
    sent: Option<Sent>,
}

impl<K: Eq + Hash> Lease<K> {
    #[inline]
    pub(crate) fn new(balancer: Balancer<K>, key: Arc<K>, sent: Sent) -> Self {
        Self {
            balancer,
            key,
            sent: Some(sent),
        }
    }

    /// The server that the request goes to.
    #[inline]
    pub fn server(&self) -> &K {
        &self.key
    }

    /// The [number](Balancer::number_of) of the server.
    pub fn number(&self) -> u32 {
        self.sent.as_ref().map_or(u32::MAX, Sent::server)
    }

    /// Whether the server was known to be idle: we held its token, which this request has used.
    #[inline]
    pub fn on_token(&self) -> bool {
        self.sent.as_ref().is_some_and(Sent::on_token)
    }

    /// The server has given a good answer, its end included, and told this about itself.
    pub fn answered(self, told: Told) {
        self.ended(Outcome::Good, told);
    }

    /// The server has answered, the end of the answer included, and told this about itself. The
    /// outcome decides what is learned; [`outcome_of`](Self::outcome_of) has it for a status.
    #[inline]
    pub fn ended(mut self, outcome: Outcome, told: Told) {
        self.give_back(LeaseEnd::Answered(outcome, told));
    }

    /// [`ended`](Self::ended) at this moment, which the caller has read off the clock just now.
    #[cfg(all(feature = "proxy", unix))]
    pub(crate) fn ended_at(mut self, now: Instant, outcome: Outcome, told: Told) {
        if let Some(sent) = self.sent.take() {
            let end = LeaseEnd::Answered(outcome, told);
            self.balancer.give_back_at(now, sent, end);
        }
    }

    /// What an answer with this status says of the server
    /// ([`Options::outcomes`](crate::Options::outcomes)).
    #[inline]
    pub fn outcome_of(&self, status: u16) -> Outcome {
        self.balancer.outcome_of(status)
    }

    /// The server could not be reached, or broke off. It has nothing outstanding and so looks idle,
    /// but it must not be taken for idle: its token is gone until it answers another request, is
    /// set up again or has been quiet for [`Options::presume_idle`](crate::Options::presume_idle).
    pub fn failed(mut self) {
        self.give_back(LeaseEnd::Failed);
    }

    /// The request was never sent: everything is as it was before the lease.
    pub fn unsent(mut self) {
        self.give_back(LeaseEnd::Unsent);
    }

    /// The request alone, for a holder that keeps the dispatcher elsewhere and is to
    /// [give it back](Balancer::give_back) there.
    ///
    /// # Panics
    ///
    /// Never: a lease that was given back is no longer there.
    pub fn into_sent(mut self) -> Sent {
        self.sent.take().expect("a lease that was not given back")
    }

    #[inline]
    fn give_back(&mut self, end: LeaseEnd) {
        if let Some(sent) = self.sent.take() {
            self.balancer.give_back(sent, end);
        }
    }
}

/// An abandoned request no longer counts as outstanding, but the server may still be working on it.
/// So nothing is learned, and there is no token.
impl<K: Eq + Hash> Drop for Lease<K> {
    fn drop(&mut self) {
        self.give_back(LeaseEnd::Abandoned);
    }
}

impl<K: Eq + Hash + fmt::Debug> fmt::Debug for Lease<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("server", self.server())
            .field("on_token", &self.on_token())
            .finish_non_exhaustive()
    }
}
