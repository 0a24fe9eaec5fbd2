use std::fmt;
use std::hash::Hash;

use crate::core::{End, Sent};
use crate::{Balancer, Told};

/// A request that has been given to a server.
///
/// It is returned exactly once, however the request ends: by one of the methods that take it, or by
/// being dropped, be it because a client has gone, a timeout has struck or its holder has panicked.
#[must_use = "a lease that is dropped counts as a request that was abandoned"]
pub struct Lease<K: Eq + Hash> {
    balancer: Balancer<K>,
    sent: Sent<K>,
    returned: bool,
}

impl<K: Eq + Hash> Lease<K> {
    pub(crate) fn new(balancer: Balancer<K>, sent: Sent<K>) -> Self {
        Self {
            balancer,
            sent,
            returned: false,
        }
    }

    /// Where the request goes.
    pub fn server(&self) -> &K {
        &self.sent.key
    }

    /// Whether the server was believed idle: we held its token, which went with this request.
    pub fn on_token(&self) -> bool {
        self.sent.on_token
    }

    /// The server has answered, the end of the answer included, and told this about itself. An answer
    /// that reports an error is one too, if the server gave it.
    pub fn answered(mut self, told: Told) {
        self.give_back(End::Answered(told));
    }

    /// The server could not be reached, or broke off: it looks idle, having nothing outstanding,
    /// but is not to be believed so. Its token is gone until it answers something else, is set up
    /// again or has been quiet for long.
    pub fn failed(mut self) {
        self.give_back(End::Failed);
    }

    /// The request was never sent: everything is as it was before.
    pub fn unsent(mut self) {
        self.give_back(End::Unsent);
    }

    fn give_back(&mut self, end: End) {
        self.returned = true;
        self.balancer.finish(&self.sent, end);
    }
}

/// Abandoned: the request counts as outstanding no longer, but the server may still be working on it.
/// So nothing is learned, and no token comes of it.
impl<K: Eq + Hash> Drop for Lease<K> {
    fn drop(&mut self) {
        if !self.returned {
            self.give_back(End::Abandoned);
        }
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
