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

use std::cell::RefCell;
use std::sync::Arc;

use filch_balance::Lease;

use crate::cluster::Cluster;
use crate::host::Host;

/// A lease, and the cluster whose decision it is.
#[derive(Debug)]
pub struct Handed {
    /// The cluster.
    pub cluster: Arc<Cluster>,
    /// The priority of the server.
    pub priority: usize,
    /// The lease.
    pub lease: Lease<Host>,
}

thread_local! {
    /// From the balancer to the filter.
    static HANDED: RefCell<Option<Handed>> = const { RefCell::new(None) };
    /// From the queue to the balancer.
    static RESERVED: RefCell<Option<Handed>> = const { RefCell::new(None) };
}

/// Hands a lease to the filter that is made next. The lease of an earlier decision that no filter
/// has taken is given back.
pub(crate) fn hand(handed: Handed) {
    let earlier = HANDED.replace(Some(handed));
    if let Some(earlier) = earlier {
        unclaimed(earlier);
    }
}

/// The lease for a request to this address, if the last decision on this thread gave it.
pub fn claim(address: &[u8]) -> Option<Handed> {
    let handed = HANDED.take()?;
    if handed.lease.server().address().as_bytes() == address {
        handed.cluster.unclaimed.a_filter_claims();
        return Some(handed);
    }
    unclaimed(handed);
    None
}

fn unclaimed(handed: Handed) {
    let Handed {
        cluster,
        priority,
        lease,
    } = handed;
    cluster.unclaimed.add(priority, lease);
}

/// Reserves a lease for the next decision on this thread.
pub(crate) fn reserve(handed: Handed) {
    cancel_reservation();
    RESERVED.set(Some(handed));
}

/// What was reserved for a decision of this cluster.
pub(crate) fn reserved(cluster: &Arc<Cluster>) -> Option<(usize, Lease<Host>)> {
    RESERVED.with_borrow_mut(|it| {
        let handed = it.take_if(|handed| Arc::ptr_eq(&handed.cluster, cluster))?;
        Some((handed.priority, handed.lease))
    })
}

/// Gives a lease back that no decision has used.
pub(crate) fn cancel_reservation() {
    if let Some(handed) = RESERVED.take() {
        handed.lease.unsent();
    }
}
