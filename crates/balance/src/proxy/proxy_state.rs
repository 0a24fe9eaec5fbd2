use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

use tokio::sync::Notify;

use super::access_log::AccessLog;
use super::active_config::ActiveConfig;
use super::connections::{Draining, OpenConnections};
use super::metrics::ProxyCounts;
use crate::poison::unpoisoned;

/// The state of a running proxy, which all requests share.
pub(crate) struct ProxyState {
    active: RwLock<Arc<ActiveConfig>>,
    pub(crate) counts: ProxyCounts,
    pub(crate) log: AccessLog,
    pub(crate) open: Arc<OpenConnections>,
    pub(crate) draining: Draining,
    in_flight: AtomicUsize,
    idle: Notify,
}

impl ProxyState {
    pub(crate) fn new(active: ActiveConfig, log: AccessLog) -> Self {
        Self {
            active: RwLock::new(Arc::new(active)),
            counts: ProxyCounts::default(),
            log,
            open: Arc::default(),
            draining: Draining::new(),
            in_flight: AtomicUsize::new(0),
            idle: Notify::new(),
        }
    }

    /// The configuration in use.
    pub(crate) fn active(&self) -> Arc<ActiveConfig> {
        Arc::clone(&*unpoisoned(self.active.read()))
    }

    pub(crate) fn replace(&self, active: Arc<ActiveConfig>) {
        *unpoisoned(self.active.write()) = active;
    }

    /// How many requests are in flight.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    /// Waits until no request is in flight.
    pub(crate) async fn drained(&self) {
        loop {
            let idle = self.idle.notified();
            if self.in_flight() == 0 {
                return;
            }
            idle.await;
        }
    }
}

/// A request in flight, counted for as long as this lives.
pub(crate) struct InFlight(Arc<ProxyState>);

impl InFlight {
    pub(crate) fn new(proxy: &Arc<ProxyState>) -> Self {
        proxy.in_flight.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(proxy))
    }

    pub(crate) fn proxy(&self) -> &Arc<ProxyState> {
        &self.0
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if self.0.in_flight.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}
