//! What went wrong, and what the client is told about it.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use pingora_error::{Error, ErrorSource, ErrorType};
use pingora_http::ResponseHeader;

use super::held::Nobody;
use super::metrics::Problem;
use super::queue::Turned;

const QUEUE_FULL: &str = "queue full";
const QUEUE_TIMED_OUT: &str = "queue timed out";

/// The error for a request that got no server; `last` is how its last attempt failed.
pub(crate) fn nobody(why: Nobody, last: Option<&ErrorType>) -> Box<Error> {
    let mut error = match why {
        Nobody::Turned(Turned::Away) => Error::explain(
            ErrorType::Custom(QUEUE_FULL),
            "the queue of the group is full",
        ),
        Nobody::Turned(Turned::TimedOut | Turned::Moved) if last.is_none() => Error::explain(
            ErrorType::Custom(QUEUE_TIMED_OUT),
            "no server was free before the wait was over",
        ),
        // Who has tried is told what came of it.
        Nobody::Turned(Turned::TimedOut | Turned::Moved) | Nobody::AllTried => {
            let last = last.cloned().unwrap_or(ErrorType::ConnectError);
            Error::explain(last, "the last server that could be tried failed").into_up()
        }
    };
    error.set_retry(false);
    error
}

/// What kind of problem this error is.
pub(crate) fn kind(error: &Error) -> Problem {
    use ErrorType::*;
    match (error.esource(), error.etype()) {
        (_, Custom(QUEUE_FULL)) => Problem::QueueFull,
        (_, Custom(QUEUE_TIMED_OUT)) => Problem::QueueTimedOut,
        (
            ErrorSource::Upstream,
            ConnectTimedout | ConnectRefused | ConnectNoRoute | ConnectError | TLSHandshakeFailure
            | TLSHandshakeTimedout | InvalidCert | HandshakeError | BindError | SocketError,
        ) => Problem::Connect,
        (ErrorSource::Upstream, ReadTimedout | WriteTimedout) => Problem::TimedOut,
        (ErrorSource::Upstream, InvalidHTTPHeader | H1Error | InvalidH2 | H2Downgrade) => {
            Problem::Garbage
        }
        (ErrorSource::Upstream, _) => Problem::Broken,
        (ErrorSource::Downstream, ConnectionClosed | ReadError | WriteError | H2Error) => {
            Problem::ClientLeft
        }
        (ErrorSource::Downstream, _) | (_, HTTPStatus(_)) => Problem::BadRequest,
        _ => Problem::Other,
    }
}

/// The status for this error; none if there is nobody left to tell.
pub(crate) fn status(error: &Error) -> Option<StatusCode> {
    if let ErrorType::HTTPStatus(status) = error.etype() {
        return StatusCode::from_u16(*status).ok();
    }
    match kind(error) {
        Problem::ClientLeft => None,
        Problem::QueueFull | Problem::QueueTimedOut => Some(StatusCode::SERVICE_UNAVAILABLE),
        Problem::TimedOut => Some(StatusCode::GATEWAY_TIMEOUT),
        Problem::Connect if *error.etype() == ErrorType::ConnectTimedout => {
            Some(StatusCode::GATEWAY_TIMEOUT)
        }
        Problem::Connect | Problem::Broken | Problem::Garbage => Some(StatusCode::BAD_GATEWAY),
        Problem::BadRequest => match error.etype() {
            ErrorType::ReadTimedout => Some(StatusCode::REQUEST_TIMEOUT),
            _ => Some(StatusCode::BAD_REQUEST),
        },
        Problem::Other => Some(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// The answer that the proxy itself gives.
pub(crate) fn answer(
    status: StatusCode,
    retry_after: Option<Duration>,
) -> Result<(ResponseHeader, Bytes), Box<Error>> {
    let reason = status.canonical_reason().unwrap_or("Error");
    let body = Bytes::from(format!("{} {reason}\n", status.as_u16()));
    let mut header = ResponseHeader::build(status, Some(3))?;
    header.insert_header(CONTENT_TYPE, "text/plain; charset=utf-8")?;
    header.insert_header(CONTENT_LENGTH, body.len())?;
    if let Some(after) = retry_after {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        header.insert_header(RETRY_AFTER, seconds.to_string())?;
    }
    Ok((header, body))
}
