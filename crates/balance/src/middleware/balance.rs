use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Response;
use tower::discover::{Change, Discover};
use tower::ready_cache::ReadyCache;
use tower::{BoxError, Service};

use super::{LeasedBody, Sending};
use crate::{Balancer, Lease, Options, Server, Wait};

/// A tower service that sends each HTTP request to one of the services that `D` discovers, chosen
/// by any dispatch policy.
///
/// **Back-pressure.** It is ready if and only if some service is ready and below its limit. That
/// service is then reserved for the next [`call`](Service::call). Otherwise it is pending, and
/// wakes its task when a service becomes ready, an answer ends, or the limits or the set of
/// services change. A service that fails to become ready is dropped until it is discovered again,
/// as by tower's own balancer.
///
/// **Leases.** An answer's lease is in its body ([`LeasedBody`]): the request counts as outstanding
/// until the body has ended or is dropped, not only until the header is there. The [token
/// header](crate::TOKEN_HEADER) is read and removed from the answer, so that it travels one hop.
///
/// It cannot be cloned, because its services cannot: put `tower::buffer::Buffer` around it where
/// many tasks share it, as `examples/axum.rs` does.
pub struct Balance<D, Req>
where
    D: Discover,
    D::Key: Eq + Hash,
{
    discover: D,
    balancer: Balancer<D::Key>,
    configure: Configure<D::Key>,
    services: ReadyCache<D::Key, D::Service, Req>,
    /// Services that were chosen and turned out not to be ready.
    unready: Vec<D::Key>,
    reserved: Option<Lease<D::Key>>,
    wait: Option<Wait<D::Key>>,
}

type Configure<K> = Box<dyn FnMut(K) -> Server<K> + Send + Sync>;

impl<D, Req, B> Balance<D, Req>
where
    D: Discover,
    D::Key: Eq + Hash + Clone,
    D::Service: Service<Req, Response = Response<B>>,
    <D::Service as Service<Req>>::Error: Into<BoxError>,
{
    /// A balancer over the discovered services, without limits and tokens.
    pub fn new(discover: D, options: Options) -> Self
    where
        D::Key: 'static,
    {
        Self::with_servers(discover, options, Server::new)
    }

    /// The same, where `configure` sets each server's weight and limit and whether its tokens are
    /// believed. A server that it makes unfit (weight or limit of 0) gets no requests.
    pub fn with_servers(
        discover: D,
        options: Options,
        configure: impl FnMut(D::Key) -> Server<D::Key> + Send + Sync + 'static,
    ) -> Self {
        Self {
            discover,
            balancer: Balancer::new(options, []).expect("no server is unfit"),
            configure: Box::new(configure),
            services: ReadyCache::default(),
            unready: Vec::new(),
            reserved: None,
            wait: None,
        }
    }

    /// The dispatcher behind it, to look at its state or to say which servers are up. Which servers
    /// there are, only `D` says.
    pub fn balancer(&self) -> &Balancer<D::Key> {
        &self.balancer
    }

    fn insert(&mut self, key: D::Key, service: D::Service) {
        let server = (self.configure)(key.clone());
        if self.balancer.insert(server).is_ok() {
            // A service that replaces another takes over when it is ready.
            self.services.push(key, service);
        }
    }

    fn remove(&mut self, key: &D::Key) {
        self.services.evict(key);
        self.forget(key);
    }

    /// Forgets a service that is gone, and its reservation.
    fn forget(&mut self, key: &D::Key) {
        self.balancer.remove(key);
        self.unready.retain(|unready| unready != key);
        if self
            .reserved
            .as_ref()
            .is_some_and(|lease| lease.server() == key)
        {
            self.reserved = None;
        }
    }

    fn poll_pending(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Err(failed)) = self.services.poll_pending(cx) {
            if self.services.get_ready(&failed.0).is_none() {
                self.forget(&failed.0);
            }
        }
        let (services, balancer) = (&self.services, &self.balancer);
        self.unready.retain(|key| {
            let is_ready = services.get_ready(key).is_some();
            if is_ready {
                balancer.set_ready(key, true);
            }
            !is_ready
        });
    }

    /// Whether the reserved service is still ready. If not, the reservation is given up.
    fn keep_reservation(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(lease) = self.reserved.take() else {
            return false;
        };
        match self.services.check_ready(cx, lease.server()) {
            Ok(true) => {
                self.reserved = Some(lease);
                return true;
            }
            Ok(false) => {
                // Before the lease is returned, or this service would be the next choice again.
                self.balancer.set_ready(lease.server(), false);
                self.unready.push(lease.server().clone());
                lease.unsent();
            }
            Err(failed) => {
                lease.unsent();
                if !self.services.pending_contains(&failed.0) {
                    self.forget(&failed.0);
                }
            }
        }
        false
    }
}

impl<D, Req, B> Service<Req> for Balance<D, Req>
where
    D: Discover + Unpin,
    D::Key: Eq + Hash + Clone,
    D::Error: Into<BoxError>,
    D::Service: Service<Req, Response = Response<B>>,
    <D::Service as Service<Req>>::Error: Into<BoxError>,
    B: http_body::Body,
{
    type Response = Response<LeasedBody<B, D::Key>>;
    type Error = BoxError;
    type Future = Sending<<D::Service as Service<Req>>::Future, D::Key>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        while let Poll::Ready(Some(change)) = Pin::new(&mut self.discover).poll_discover(cx) {
            match change.map_err(Into::into)? {
                Change::Insert(key, service) => self.insert(key, service),
                Change::Remove(key) => self.remove(&key),
            }
        }
        self.poll_pending(cx);
        loop {
            if self.keep_reservation(cx) {
                return Poll::Ready(Ok(()));
            }
            let balancer = &self.balancer;
            let wait = self.wait.get_or_insert_with(|| balancer.wait());
            match Pin::new(wait).poll(cx) {
                Poll::Ready(lease) => {
                    self.wait = None;
                    self.reserved = Some(lease?);
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// # Panics
    ///
    /// If [`poll_ready`](Service::poll_ready) has not said that it is ready.
    fn call(&mut self, request: Req) -> Self::Future {
        let lease = self.reserved.take().expect("called before it was ready");
        let answer = self.services.call_ready(lease.server(), request);
        Sending::new(answer, lease)
    }
}

/// A reservation that is not used leaves no trace.
impl<D, Req> Drop for Balance<D, Req>
where
    D: Discover,
    D::Key: Eq + Hash,
{
    fn drop(&mut self) {
        if let Some(lease) = self.reserved.take() {
            lease.unsent();
        }
    }
}

impl<D, Req> fmt::Debug for Balance<D, Req>
where
    D: Discover + fmt::Debug,
    D::Key: Eq + Hash + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Balance")
            .field("discover", &self.discover)
            .field("balancer", &self.balancer)
            .finish_non_exhaustive()
    }
}
