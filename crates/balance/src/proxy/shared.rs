//! What all requests share.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Notify;

use super::access::Log;
use super::metrics::Counts;
use super::table::Table;

/// The state of a running proxy.
pub(crate) struct Shared {
    table: RwLock<Arc<Table>>,
    pub(crate) counts: Counts,
    pub(crate) log: Log,
    in_flight: AtomicUsize,
    idle: Notify,
}

impl Shared {
    pub(crate) fn new(table: Table, log: Log) -> Self {
        Self {
            table: RwLock::new(Arc::new(table)),
            counts: Counts::default(),
            log,
            in_flight: AtomicUsize::new(0),
            idle: Notify::new(),
        }
    }

    /// The configuration at work.
    pub(crate) fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn replace(&self, table: Table) {
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }

    /// How many requests are being served.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    /// Waits until no request is being served.
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

/// A request that is being served, counted as long as this lives.
pub(crate) struct Counted(Arc<Shared>);

impl Counted {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        shared.in_flight.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(shared))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.0.in_flight.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.idle.notify_waiters();
        }
    }
}
