//! The wait for the next request of a connection.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use http::StatusCode;
use tokio::time::{Instant, sleep_until};

use super::client_stream::ClientStream;
use super::front::Front;
use super::head::{Head, HeadLimits, empty_lines, look, look_for_http2};
use crate::proxy::patience::Patience;

/// What came of the wait.
#[derive(Debug)]
pub(super) enum Next {
    /// A request whose head has so many bytes and fields.
    Request(usize, usize),
    /// HTTP/2 without TLS.
    Http2,
    /// The client has left, or has been silent for too long.
    Nothing,
    /// The head is refused with this status.
    Refused(StatusCode),
}

/// How a connection waits. What does not end with a request stays from one wait to the next.
pub(super) struct Wait<'a, F> {
    pub(super) patience: &'a mut Patience,
    /// Ends when the proxy stops and closes idle connections.
    pub(super) stopping: Pin<&'a mut F>,
    /// Whether the connection is new.
    pub(super) new: bool,
    /// Whether it may turn out to be HTTP/2.
    pub(super) http2: bool,
}

/// Waits for a request on a connection.
///
/// A client may be silent between requests for `client.idle`. From its first byte on, or from the
/// beginning of a new connection, the head may take `client.header`.
pub(super) async fn next_request<F: Future<Output = ()>>(
    stream: &mut ClientStream,
    front: &Front,
    mut wait: Wait<'_, F>,
) -> Next {
    let limits = front.limits();
    if stream.ahead().is_empty() {
        let silence = if wait.new { limits.header } else { limits.idle };
        wait.patience.until(Instant::now() + silence);
        if !poll_fn(|cx| wait.poll_first_bytes(stream, cx)).await {
            return Next::Nothing;
        }
    }
    let head_limits = HeadLimits {
        bytes: limits.header_bytes,
        fields: limits.headers,
    };
    let mut seen = 0;
    // Most heads come whole.
    let mut until = None;
    loop {
        if seen == 0 {
            stream.skip(empty_lines(stream.ahead()));
        }
        let bytes = stream.ahead();
        let head = match look_for_http2(bytes).filter(|_| wait.http2) {
            Some(head) => head,
            None => look(bytes, seen, head_limits),
        };
        seen = bytes.len();
        match head {
            Head::Complete(length, fields) => return Next::Request(length, fields),
            Head::Http2 => return Next::Http2,
            Head::TooLarge(status) => return Next::Refused(status),
            Head::Partial => {}
        }
        let until = *until.get_or_insert_with(|| Instant::now() + limits.header);
        let late = tokio::select! {
            biased;
            read = stream.read_ahead() => match read {
                Ok(1..) => continue,
                _ => return Next::Nothing,
            },
            () = sleep_until(until) => StatusCode::REQUEST_TIMEOUT,
            () = front.draining().heads_are_over() => StatusCode::SERVICE_UNAVAILABLE,
        };
        return if stream.ahead().is_empty() {
            Next::Nothing
        } else {
            Next::Refused(late)
        };
    }
}

impl<F: Future<Output = ()>> Wait<'_, F> {
    /// Waits for the first bytes of a request. Ready with whether they came. A proxy that stops
    /// waits for a shorter time.
    fn poll_first_bytes(&mut self, stream: &mut ClientStream, cx: &mut Context<'_>) -> Poll<bool> {
        if let Poll::Ready(read) = stream.poll_read_ahead(cx) {
            return Poll::Ready(matches!(read, Ok(1..)));
        }
        if self.patience.poll_over(cx).is_ready() || self.stopping.as_mut().poll(cx).is_ready() {
            return Poll::Ready(false);
        }
        Poll::Pending
    }
}
