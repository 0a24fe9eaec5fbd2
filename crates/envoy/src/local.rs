//! What the balancer of one worker thread shares with the filters of its requests.

use std::cell::Cell;
use std::sync::Arc;

use crate::cluster::Cluster;
use crate::tally::Tally;

/// A cluster, as the leases of one worker thread know it. It stays on that thread, so that counting
/// its users takes no atomic operation.
#[derive(Debug)]
pub struct Local {
    cluster: Arc<Cluster>,
    tokens: bool,
    has_filter: Cell<bool>,
    pub(crate) tally: Tally,
}

impl Local {
    pub(crate) fn new(cluster: Arc<Cluster>) -> Self {
        Self {
            tokens: cluster.config().tokens,
            has_filter: Cell::new(false),
            tally: Tally::default(),
            cluster,
        }
    }

    pub(crate) fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// Whether servers are believed when they say that they are idle.
    #[inline]
    pub(crate) fn tokens(&self) -> bool {
        self.tokens
    }

    #[inline]
    pub(crate) fn a_filter_claims(&self) {
        if !self.has_filter.replace(true) {
            self.cluster.unclaimed.a_filter_claims();
        }
    }
}
