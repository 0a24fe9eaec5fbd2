//! What kind of failure it was, and what the client is told about it.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};

use super::failure::Failure;
use crate::Refused;

/// Why a request did not get what it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// There was no connection to the server.
    Connect,
    /// The server took too long.
    TimedOut,
    /// The connection to the server broke.
    Broken,
    /// The server's answer was not HTTP.
    Garbage,
    /// The client left.
    ClientLeft,
    /// The queue was full.
    QueueFull,
    /// The wait in the queue took too long.
    QueueTimedOut,
    /// The request was malformed or too large.
    BadRequest,
    /// Something else.
    Other,
}

impl Problem {
    pub(crate) const ALL: [Self; 9] = [
        Self::Connect,
        Self::TimedOut,
        Self::Broken,
        Self::Garbage,
        Self::ClientLeft,
        Self::QueueFull,
        Self::QueueTimedOut,
        Self::BadRequest,
        Self::Other,
    ];

    /// The name in metrics and logs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::TimedOut => "timeout",
            Self::Broken => "broken",
            Self::Garbage => "garbage",
            Self::ClientLeft => "client_left",
            Self::QueueFull => "queue_full",
            Self::QueueTimedOut => "queue_timeout",
            Self::BadRequest => "bad_request",
            Self::Other => "other",
        }
    }

    pub(crate) fn of(failure: Failure) -> Self {
        match failure {
            Failure::NoConnection(_) | Failure::ConnectTimedOut | Failure::Handshake => {
                Self::Connect
            }
            Failure::ServerTimedOut => Self::TimedOut,
            Failure::Broken(_) => Self::Broken,
            Failure::Garbage => Self::Garbage,
            Failure::ClientLeft => Self::ClientLeft,
            Failure::QueueFull => Self::QueueFull,
            Failure::QueueTimedOut => Self::QueueTimedOut,
            Failure::Refused(..) | Failure::ClientTimedOut => Self::BadRequest,
            Failure::Bug(_) => Self::Other,
        }
    }
}

/// The failure of a request that got no server: `refused` is why, or none if the wait took too
/// long, and `last` is how its last attempt failed.
pub(crate) fn no_server(refused: Option<Refused>, last: Option<Failure>) -> Failure {
    match (refused, last) {
        (Some(Refused::QueueFull), _) => Failure::QueueFull,
        // A request that was tried gets the failure of its last attempt.
        (_, Some(last)) => last,
        (Some(Refused::AllTried), None) => Failure::NoConnection(None),
        (_, None) => Failure::QueueTimedOut,
    }
}

/// The status for this failure. A client that has left does not see it.
pub(crate) fn status(failure: Failure) -> StatusCode {
    match failure {
        Failure::Refused(status, _) => status,
        Failure::QueueFull | Failure::QueueTimedOut => StatusCode::SERVICE_UNAVAILABLE,
        Failure::ServerTimedOut | Failure::ConnectTimedOut => StatusCode::GATEWAY_TIMEOUT,
        Failure::NoConnection(_) | Failure::Handshake | Failure::Broken(_) | Failure::Garbage => {
            StatusCode::BAD_GATEWAY
        }
        Failure::ClientTimedOut => StatusCode::REQUEST_TIMEOUT,
        Failure::ClientLeft => StatusCode::BAD_REQUEST,
        Failure::Bug(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The proxy's own answer.
pub(crate) fn answer(status: StatusCode, retry_after: Option<Duration>) -> Response<Bytes> {
    let reason = status.canonical_reason().unwrap_or("Error");
    let body = Bytes::from(format!("{} {reason}\n", status.as_u16()));
    let length = HeaderValue::from(body.len());
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(CONTENT_TYPE, text);
    headers.insert(CONTENT_LENGTH, length);
    if let Some(after) = retry_after {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
}
