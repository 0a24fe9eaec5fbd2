use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::core::{Ask, Preferred};
use crate::{Balancer, Lease, Refused};

/// Waits for a server that may be chosen: [`Balancer::wait`].
///
/// Waiters are served first come, first served. A waiter that is dropped, called or not, gives its
/// turn to the next.
#[must_use = "futures do nothing unless polled"]
pub struct Wait<K: Eq + Hash> {
    balancer: Balancer<K>,
    ask: Ask<K>,
}

impl<K: Eq + Hash> Wait<K> {
    pub(crate) fn new(balancer: Balancer<K>) -> Self {
        let ask = Ask {
            ticket: None,
            tried: Vec::new(),
            preferred: Preferred::default(),
            room: usize::MAX,
        };
        Self { balancer, ask }
    }

    /// Waits for a server that is none of `tried`, on which the request has failed. While only
    /// those are free, later waiters may go first. The wait ends with [`Refused::AllTried`] if no
    /// other server is up and [takes requests](Balancer::set_ready).
    pub fn avoiding(mut self, tried: Vec<K>) -> Self {
        self.ask.tried = tried;
        self
    }

    /// The request belongs to `servers`, the best first. It goes to one of the first `among` of
    /// them that are up and were not [tried](Self::avoiding): to one that is known to be idle,
    /// otherwise to the one with the least expected delay. If these are at their limits, it waits
    /// for them, and later waiters may go first. If none of `servers` is up, the policy decides.
    pub fn preferring(mut self, servers: Vec<K>, among: usize) -> Self {
        self.ask.preferred = Preferred { servers, among };
        self
    }

    /// Waits only if fewer than `room` requests do; otherwise the wait ends with
    /// [`Refused::QueueFull`].
    pub fn at_most(mut self, room: usize) -> Self {
        self.ask.room = room;
        self
    }
}

impl<K: Eq + Hash> Future for Wait<K> {
    type Output = Result<Lease<K>, Refused>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { balancer, ask } = &mut *self;
        balancer.poll_lease(ask, cx.waker())
    }
}

/// Keys are in vectors and behind pointers: moving a `Wait` moves none.
impl<K: Eq + Hash> Unpin for Wait<K> {}

impl<K: Eq + Hash> Drop for Wait<K> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ask.ticket.take() {
            self.balancer.stop_waiting(ticket);
        }
    }
}
