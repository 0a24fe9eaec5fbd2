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
/// meanwhile says that it is the last one. One that had begun before could not say so: after it the
/// connection is idle for as long as others were.
#[derive(Debug)]
pub(crate) struct Draining {
    begun: watch::Sender<bool>,
    times: OnceLock<Times>,
}

#[derive(Clone, Copy, Debug)]
struct Times {
    begun: Instant,
    /// How long a connection may be idle. Not longer than `grace`.
    linger: Duration,
    grace: Duration,
}

impl Times {
    /// When a connection is closed that has been idle since then.
    fn idle(&self, since: Instant) -> Instant {
        (self.begun.max(since) + self.linger).min(self.begun + self.grace)
    }

    /// When requests that have come in part are refused.
    fn heads(&self) -> Instant {
        let last_answer = LAST_ANSWER.min(self.grace / 4);
        self.begun + self.grace.saturating_sub(last_answer)
    }
}

impl Draining {
    pub(crate) fn new() -> Self {
        Self {
            begun: watch::Sender::new(false),
            times: OnceLock::new(),
        }
    }

    /// Begins. Connections that are idle for `linger` are closed. Requests that have come in part
    /// are refused shortly before `grace` is over.
    pub(crate) fn begin(&self, linger: Duration, grace: Duration) {
        self.times.get_or_init(|| Times {
            begun: Instant::now(),
            linger: linger.min(grace),
            grace,
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

    /// Waits until a connection is to be closed that has been idle since then.
    pub(super) async fn idle_is_over(&self, since: Instant) {
        self.has_begun_now().await;
        if let Some(times) = self.times.get() {
            sleep_until(times.idle(since)).await;
        }
    }

    /// Waits until requests that have come in part are to be refused.
    pub(crate) async fn heads_are_over(&self) {
        self.has_begun_now().await;
        if let Some(times) = self.times.get() {
            sleep_until(times.heads()).await;
        }
    }
}
