use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::proxy::patience::Patience;
use crate::proxy::request_body::RequestSource;

/// How long a server may take for the next part of its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerClock {
    pub(crate) read: Duration,
    /// When the whole request must have been answered.
    pub(crate) deadline: Option<Instant>,
    /// When the server could be sent the request.
    pub(crate) since: Instant,
}

impl ServerClock {
    /// The end of a wait that has begun at `since`.
    pub(crate) fn until(self, since: Instant) -> Instant {
        let end = since + self.read;
        self.deadline.map_or(end, |deadline| deadline.min(end))
    }
}

/// The wait for the next part of an answer.
#[derive(Debug, Default)]
pub(crate) struct ServerWait {
    patience: Patience,
    since: Option<Instant>,
}

impl ServerWait {
    /// The server is sent the request.
    pub(crate) fn begin(&mut self, clock: ServerClock) {
        self.since = Some(clock.since);
        self.patience.until(clock.until(clock.since).into());
    }

    /// The part has come.
    pub(crate) fn end(&mut self) {
        self.since = None;
    }

    /// Ready when the server has taken too long. While it is sent a body, its time begins anew with
    /// each part of that.
    pub(crate) fn poll_late(
        &mut self,
        cx: &mut Context<'_>,
        clock: ServerClock,
        source: &RequestSource,
    ) -> Poll<()> {
        let since = *self.since.get_or_insert_with(|| {
            let now = Instant::now();
            self.patience.until(clock.until(now).into());
            now
        });
        while self.patience.poll_over(cx).is_ready() {
            let since = source.last_part().map_or(since, |last| last.max(since));
            let until = clock.until(since);
            if until <= Instant::now() {
                return Poll::Ready(());
            }
            self.patience.until(until.into());
        }
        Poll::Pending
    }
}
