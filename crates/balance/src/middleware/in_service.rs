use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many requests are in service.
///
/// Ordering: the count guards no other data, and all read-modify-write operations on one atomic
/// have one total order. So relaxed ones suffice for exactly one request to see itself as the last.
#[derive(Clone, Debug, Default)]
pub(super) struct InService(Arc<AtomicUsize>);

impl InService {
    pub(super) fn enter(&self) -> Presence {
        self.0.fetch_add(1, Ordering::Relaxed);
        Presence(Some(self.clone()))
    }

    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request in service, until it is dropped.
#[derive(Debug)]
pub(super) struct Presence(Option<InService>);

impl Presence {
    /// Whether no other request is in service.
    pub(super) fn is_alone(&self) -> bool {
        self.0.as_ref().is_some_and(|all| all.count() == 1)
    }

    /// Ends it. Returns whether it was the last.
    pub(super) fn leave(mut self) -> bool {
        let all = self.0.take();
        all.is_some_and(|all| all.0.fetch_sub(1, Ordering::Relaxed) == 1)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(all) = &self.0 {
            all.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
