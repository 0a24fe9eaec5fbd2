use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::poison::unpoisoned;
use crate::proxy::tunnel::Tunnel;

/// The current request of a connection with HTTP/1: what the request and the connection tell each
/// other. Both are on one thread, so that no ordering is needed.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// Whether the request is the last one of its connection.
    is_last: AtomicBool,
    answered: AtomicBool,
    /// Whether hyper has written the whole answer, and read the whole request.
    over: AtomicBool,
    tunnel: Mutex<Option<Box<Tunnel>>>,
}

impl Turn {
    /// A request begins, after which another one may follow or not.
    pub(super) fn begin(&self, may_follow: bool) {
        self.answered.store(false, Ordering::Relaxed);
        self.over.store(false, Ordering::Relaxed);
        self.is_last.store(!may_follow, Ordering::Relaxed);
    }

    /// Whether the connection must end with this request, which it must if it `stops`.
    pub(crate) fn ends_if(&self, stops: bool) -> bool {
        if stops {
            self.end();
        }
        self.is_last()
    }

    /// Whether the connection must end with this request.
    pub(super) fn is_last(&self) -> bool {
        self.is_last.load(Ordering::Relaxed)
    }

    /// The connection ends with this request.
    pub(crate) fn end(&self) {
        self.is_last.store(true, Ordering::Relaxed);
    }

    /// hyper has got the whole answer.
    pub(crate) fn answered(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    /// hyper has written everything that it has got, and has read the whole request.
    pub(super) fn written(&self) {
        if self.is_answered() {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nothing is left to do but to wait for the next request, if there may be one.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) && !self.is_last()
    }

    /// The connection becomes this tunnel after the answer.
    pub(crate) fn tunnel(&self, tunnel: Tunnel) {
        *unpoisoned(self.tunnel.lock()) = Some(Box::new(tunnel));
    }

    pub(super) fn take_tunnel(&self) -> Option<Box<Tunnel>> {
        unpoisoned(self.tunnel.lock()).take()
    }
}
