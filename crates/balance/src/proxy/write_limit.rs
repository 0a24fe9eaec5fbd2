use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// How long the other side of a connection may take to accept the next bytes.
#[derive(Debug)]
pub(crate) struct WriteLimit {
    limit: Duration,
    /// The timer of a write that waits. There is none as long as the other side keeps up.
    over: Option<Pin<Box<Sleep>>>,
}

impl WriteLimit {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, over: None }
    }

    /// The result of a write: if it waits for too long, an error.
    pub(crate) fn on<T>(
        &mut self,
        cx: &mut Context<'_>,
        write: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.over = None;
            return write;
        }
        let limit = self.limit;
        let over = self.over.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(over.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}
