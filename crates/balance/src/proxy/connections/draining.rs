use std::sync::OnceLock;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long the last answers may take.
const LAST_ANSWER: Duration = Duration::from_millis(500);

/// The end of a proxy: it accepts no connections any more, and lets the open ones end.
///
/// A client may be sending a request at the moment at which the proxy closes its idle connection,
/// and would get no answer. So idle connections stay open for a while. An answer that is sent
/// meanwhile says that it is the last one.
#[derive(Debug)]
pub(crate) struct Draining {
    begun: watch::Sender<bool>,
    until: OnceLock<Until>,
}

/// When what is closed.
#[derive(Clone, Copy, Debug)]
struct Until {
    idle: Instant,
    heads: Instant,
}

impl Draining {
    pub(crate) fn new() -> Self {
        Self {
            begun: watch::Sender::new(false),
            until: OnceLock::new(),
        }
    }

    /// Begins. Idle connections are closed after `linger`. Requests that have come in part are
    /// refused shortly before `grace` is over.
    pub(crate) fn begin(&self, linger: Duration, grace: Duration) {
        let now = Instant::now();
        self.until.get_or_init(|| Until {
            idle: now + linger.min(grace),
            heads: now + grace.saturating_sub(LAST_ANSWER.min(grace / 4)),
        });
        self.begun.send_replace(true);
    }

    pub(crate) fn has_begun(&self) -> bool {
        *self.begun.borrow()
    }

    /// A watch that becomes true when it begins.
    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.begun.subscribe()
    }

    /// Waits until it has begun.
    pub(crate) async fn has_begun_now(&self) {
        // The sender is here, so that this cannot fail.
        let _ = self.watch().wait_for(|begun| *begun).await;
    }

    /// Waits until idle connections are to be closed.
    pub(super) async fn idle_is_over(&self) {
        self.has_begun_now().await;
        if let Some(until) = self.until.get() {
            sleep_until(until.idle).await;
        }
    }

    /// Waits until requests that have come in part are to be refused.
    pub(super) async fn heads_are_over(&self) {
        self.has_begun_now().await;
        if let Some(until) = self.until.get() {
            sleep_until(until.heads).await;
        }
    }
}
