//! A lease on its way from the balancer to the filter, on one worker thread.
//!
//! Envoy's router asks the balancer for a host and then, without returning to the event loop, makes
//! the upstream request with its chain of HTTP filters. So the lease of a decision waits in a
//! variable of the thread for the filter that is made next. A filter takes it only if its request
//! goes to the lease's server: a decision that came to nothing, or a host that was chosen without
//! the balancer (a sticky session), cannot mix leases up.
//!
//! The way back exists too: the filter that queues requests gets a lease first and reserves it for
//! the decision that follows on the same thread.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use filch_balance::{Lease, LeaseEnd, Sent};

use crate::cluster::Cluster;
use crate::hooks::Filter;
use crate::host::Host;
use crate::local::Local;

/// The lease of a decision of this thread. It is given back exactly once; if it is dropped, as
/// abandoned.
#[derive(Debug)]
pub struct Handed {
    local: Rc<Local>,
    /// `None` once it is given back.
    sent: Option<Sent>,
}

impl Handed {
    #[inline]
    pub(crate) fn new(local: Rc<Local>, sent: Sent) -> Self {
        let sent = Some(sent);
        Self { local, sent }
    }

    /// The servers, on this thread.
    #[inline]
    pub(crate) fn local(&self) -> &Local {
        &self.local
    }

    /// Whether the server was known to be idle.
    #[inline]
    pub(crate) fn on_token(&self) -> bool {
        self.sent.as_ref().is_some_and(Sent::on_token)
    }

    /// Whether the server has this address.
    #[inline]
    fn is_for(&self, address: &[u8]) -> bool {
        let server = self.sent.as_ref().map(Sent::server);
        server.is_some_and(|it| self.local.is_at(it, address))
    }

    /// The request has ended like this.
    #[inline]
    pub fn give_back(&mut self, end: LeaseEnd) {
        if let Some(sent) = self.sent.take() {
            self.local.balancer().give_back(sent, end);
        }
    }

    /// No filter takes it.
    #[cold]
    fn unclaimed(mut self) {
        let Some(sent) = self.sent.take() else {
            return;
        };
        if let Some(lease) = self.local.balancer().lease_of(sent) {
            let unclaimed = &self.local.cluster().unclaimed;
            unclaimed.add(self.local.priority() as usize, lease);
        }
    }
}

impl Drop for Handed {
    #[inline]
    fn drop(&mut self) {
        self.give_back(LeaseEnd::Abandoned);
    }
}

/// A lease that the queue has got for a decision.
#[derive(Debug)]
struct Reserved {
    cluster: Arc<Cluster>,
    priority: usize,
    lease: Lease<Host>,
}

/// What one thread has under way. A lease is written to its place in the filter that will have it
/// right away, so that it is moved once.
struct Exchange {
    /// From the balancer to the filter.
    handed: Cell<Option<Box<Filter>>>,
    /// From the queue to the balancer.
    reserved: Cell<Option<Box<Reserved>>>,
    /// Filters whose requests are over, for others to come.
    #[allow(clippy::vec_box)] // Envoy is given the boxes.
    spare: RefCell<Vec<Box<Filter>>>,
}

/// How many spare filters a thread keeps. With debug assertions it is one, so that a sanitizer sees
/// the others freed.
const SPARE: usize = if cfg!(debug_assertions) { 1 } else { 1024 };

thread_local! {
    static EXCHANGE: Exchange = const {
        Exchange {
            handed: Cell::new(None),
            reserved: Cell::new(None),
            spare: RefCell::new(Vec::new()),
        }
    };
}

/// Hands a lease to the filter that is made next. The lease of an earlier decision that no filter
/// has taken is given back.
#[inline]
pub(crate) fn hand(handed: Handed) {
    let earlier = EXCHANGE.with(|it| {
        let spare = it.spare.borrow_mut().pop();
        let filter = match spare {
            Some(mut filter) => {
                filter.use_again(handed);
                filter
            }
            None => Box::new(Filter::of(Some(handed))),
        };
        it.handed.replace(Some(filter))
    });
    if let Some(earlier) = earlier {
        unclaimed(earlier);
    }
}

/// Another decision begins on this thread: no filter will take the lease of the last one.
#[inline]
pub(crate) fn set_aside() {
    if let Some(filter) = EXCHANGE.with(|it| it.handed.take()) {
        unclaimed(filter);
    }
}

/// The filter with the lease for a request to this address, if the last decision on this thread
/// gave it.
#[inline]
pub(crate) fn claim_filter(address: &[u8]) -> Option<Box<Filter>> {
    let filter = EXCHANGE.with(|it| it.handed.take())?;
    if let Some(handed) = filter.handed()
        && handed.is_for(address)
    {
        handed.local.a_filter_claims();
        return Some(filter);
    }
    unclaimed(filter);
    None
}

/// The lease for a request to this address, if the last decision on this thread gave it.
pub fn claim(address: &[u8]) -> Option<Handed> {
    let mut filter = claim_filter(address)?;
    let handed = filter.take_handed();
    put_back(filter);
    handed
}

/// Keeps a filter whose request is over for another one.
#[inline]
pub(crate) fn put_back(filter: Box<Filter>) {
    // A thread that ends has no spare filters any more.
    let _ = EXCHANGE.try_with(|it| {
        let mut spare = it.spare.borrow_mut();
        if spare.len() < SPARE {
            spare.push(filter);
        }
    });
}

#[cold]
fn unclaimed(mut filter: Box<Filter>) {
    if let Some(handed) = filter.take_handed() {
        handed.unclaimed();
    }
    put_back(filter);
}

/// Reserves a lease for the next decision on this thread.
pub(crate) fn reserve(cluster: Arc<Cluster>, priority: usize, lease: Lease<Host>) {
    cancel_reservation();
    let reserved = Reserved {
        cluster,
        priority,
        lease,
    };
    EXCHANGE.with(|it| it.reserved.set(Some(Box::new(reserved))));
}

/// What was reserved for a decision of this cluster.
#[inline]
pub(crate) fn reserved(cluster: &Arc<Cluster>) -> Option<(usize, Lease<Host>)> {
    let reserved = EXCHANGE.with(|it| it.reserved.take())?;
    if Arc::ptr_eq(&reserved.cluster, cluster) {
        return Some((reserved.priority, reserved.lease));
    }
    EXCHANGE.with(|it| it.reserved.set(Some(reserved)));
    None
}

/// Gives a lease back that no decision has used.
pub(crate) fn cancel_reservation() {
    if let Some(reserved) = EXCHANGE.with(|it| it.reserved.take()) {
        reserved.lease.unsent();
    }
}
