use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::{Balancer, Lease};

/// Waits for a server that may be chosen: [`Balancer::wait`].
///
/// First come, first served among those who wait. One that is dropped, woken or not, gives its turn to
/// the next.
#[must_use = "futures do nothing unless polled"]
pub struct Wait<K: Eq + Hash> {
    balancer: Balancer<K>,
    /// Our place in the queue, once we have had to wait.
    ticket: Option<u64>,
}

impl<K: Eq + Hash> Wait<K> {
    pub(crate) fn new(balancer: Balancer<K>) -> Self {
        Self {
            balancer,
            ticket: None,
        }
    }
}

impl<K: Eq + Hash> Future for Wait<K> {
    type Output = Lease<K>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Lease<K>> {
        let ticket = self.ticket;
        match self.balancer.lease_or_wait(ticket, cx.waker()) {
            Ok(lease) => {
                self.ticket = None;
                Poll::Ready(lease)
            }
            Err(ticket) => {
                self.ticket = Some(ticket);
                Poll::Pending
            }
        }
    }
}

impl<K: Eq + Hash> Drop for Wait<K> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.balancer.stop_waiting(ticket);
        }
    }
}
