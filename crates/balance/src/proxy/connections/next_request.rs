//! The wait for the next request of a connection.

use std::time::Duration;

use http::StatusCode;
use tokio::time::{Instant, sleep_until};

use super::client_stream::ClientStream;
use super::front::Front;
use super::head::{Head, HeadLimits, empty_lines, look, look_for_http2};

/// What came of the wait.
#[derive(Debug)]
pub(super) enum Next {
    /// A request whose head has so many bytes.
    Request(usize),
    /// HTTP/2 without TLS.
    Http2,
    /// The client has left, or has been silent for too long.
    Nothing,
    /// The head is refused with this status.
    Refused(StatusCode),
}

/// Waits for a request on a connection that is `new` or kept. `http2`: it may turn out to be
/// HTTP/2.
///
/// A client may be silent between requests for `client.idle`. From its first byte on, or from the
/// beginning of a new connection, the head may take `client.header`.
pub(super) async fn next_request(
    stream: &mut ClientStream,
    front: &Front,
    new: bool,
    http2: bool,
) -> Next {
    let limits = front.limits();
    if stream.ahead().is_empty() {
        let silence = if new { limits.header } else { limits.idle };
        if !first_bytes(stream, front, silence).await {
            return Next::Nothing;
        }
    }
    let until = Instant::now() + limits.header;
    let head_limits = HeadLimits {
        bytes: limits.header_bytes,
        fields: limits.headers,
    };
    let mut seen = 0;
    loop {
        if seen == 0 {
            stream.skip(empty_lines(stream.ahead()));
        }
        let bytes = stream.ahead();
        let head = match look_for_http2(bytes).filter(|_| http2) {
            Some(head) => head,
            None => look(bytes, seen, head_limits),
        };
        seen = bytes.len();
        match head {
            Head::Complete(length) => return Next::Request(length),
            Head::Http2 => return Next::Http2,
            Head::TooLarge(status) => return Next::Refused(status),
            Head::Partial => {}
        }
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

/// Waits for the first bytes of a request. Returns whether they came. A proxy that stops waits for
/// a shorter time.
async fn first_bytes(stream: &mut ClientStream, front: &Front, silence: Duration) -> bool {
    let until = Instant::now() + silence;
    tokio::select! {
        biased;
        read = stream.read_ahead() => matches!(read, Ok(1..)),
        () = sleep_until(until) => false,
        () = front.draining().idle_is_over() => false,
    }
}
