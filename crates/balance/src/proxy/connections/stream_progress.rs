use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use crate::poison::unpoisoned;

/// How an answer over HTTP/2 gets on.
///
/// The client decides by the window of the stream when the next part may be sent. Until then hyper
/// does not ask for it, so that the answer itself cannot notice that the client has stalled.
#[derive(Debug, Default)]
pub(crate) struct StreamProgress {
    /// When hyper got the head or the last part. None while it waits for the next part.
    sending: Mutex<Option<Instant>>,
}

impl StreamProgress {
    /// hyper has got a part, and sends it when the client allows it.
    pub(crate) fn sends(&self) {
        *unpoisoned(self.sending.lock()) = Some(Instant::now());
    }

    /// hyper has sent everything so far, and asks for the next part.
    pub(crate) fn has_sent(&self) {
        *unpoisoned(self.sending.lock()) = None;
    }

    /// Waits until the client has not accepted a part for `limit`.
    pub(crate) async fn stalled(&self, limit: Duration) {
        loop {
            let since = *unpoisoned(self.sending.lock());
            match since {
                Some(since) if since.elapsed() >= limit => return,
                Some(since) => sleep_until(since + limit).await,
                None => sleep(limit).await,
            }
        }
    }
}
