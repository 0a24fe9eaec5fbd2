//! What went wrong with a request, and what the client is told about it.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use pingora_error::{Error, ErrorSource, ErrorType};
use pingora_http::ResponseHeader;

use crate::Refused;

const QUEUE_FULL: &str = "queue full";
const QUEUE_TIMED_OUT: &str = "queue timed out";

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

    pub(crate) fn of(error: &Error) -> Self {
        use ErrorType::*;
        match (error.esource(), error.etype()) {
            (_, Custom(QUEUE_FULL)) => Self::QueueFull,
            (_, Custom(QUEUE_TIMED_OUT)) => Self::QueueTimedOut,
            (
                ErrorSource::Upstream,
                ConnectTimedout | ConnectRefused | ConnectNoRoute | ConnectError
                | TLSHandshakeFailure | TLSHandshakeTimedout | InvalidCert | HandshakeError
                | BindError | SocketError,
            ) => Self::Connect,
            (ErrorSource::Upstream, ReadTimedout | WriteTimedout) => Self::TimedOut,
            (ErrorSource::Upstream, InvalidHTTPHeader | H1Error | InvalidH2 | H2Downgrade) => {
                Self::Garbage
            }
            (ErrorSource::Upstream, _) => Self::Broken,
            (ErrorSource::Downstream, ConnectionClosed | ReadError | WriteError | H2Error) => {
                Self::ClientLeft
            }
            (ErrorSource::Downstream, _) | (_, HTTPStatus(_)) => Self::BadRequest,
            _ => Self::Other,
        }
    }
}

/// The error of a request that got no server: `refused` is why, or none if the wait took too long,
/// and `last` is how its last attempt failed.
pub(crate) fn no_server(refused: Option<Refused>, last: Option<&ErrorType>) -> Box<Error> {
    let mut error = match (refused, last) {
        (Some(Refused::QueueFull), _) => Error::explain(
            ErrorType::Custom(QUEUE_FULL),
            "the queue of the group is full",
        ),
        (Some(Refused::AllTried), None) => failed_last(ErrorType::ConnectError),
        // A request that was tried gets the error of its last attempt.
        (_, Some(last)) => failed_last(last.clone()),
        (_, None) => Error::explain(
            ErrorType::Custom(QUEUE_TIMED_OUT),
            "no server was free before the wait was over",
        ),
    };
    error.set_retry(false);
    error
}

fn failed_last(error: ErrorType) -> Box<Error> {
    Error::explain(error, "the last server that could be tried failed").into_up()
}

/// What the access log says about this error. Explanations of Pingora's may quote headers, and with
/// them cookies and passwords. So only the kind of such an error is told, and what the system says.
pub(crate) fn detail(error: &Error) -> String {
    let mut detail = format!("{} {}", error.esource().as_str(), error.etype().as_str());
    if let (ErrorType::Custom(_) | ErrorType::HTTPStatus(_), Some(ours)) =
        (error.etype(), &error.context)
    {
        detail += &format!(": {}", ours.as_str());
    }
    let cause = error.root_cause().downcast_ref::<std::io::Error>();
    if let Some(code) = cause.and_then(std::io::Error::raw_os_error) {
        detail += &format!(": {}", std::io::Error::from_raw_os_error(code));
    }
    detail
}

/// The status for this error; none if the client has left.
pub(crate) fn status(error: &Error) -> Option<StatusCode> {
    if let ErrorType::HTTPStatus(status) = error.etype() {
        return StatusCode::from_u16(*status).ok();
    }
    match Problem::of(error) {
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

/// The proxy's own answer.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_quotes_nothing_that_a_server_sent() {
        let secret = "buf: HTTP/1.1 200 OK\r\nset-cookie: session=secret";
        let error = Error::explain(ErrorType::InvalidHTTPHeader, secret).into_up();
        assert_eq!(detail(&error), "Upstream InvalidHTTPHeader");
        let cause = std::io::Error::other("session=secret");
        let error = Error::because(ErrorType::ReadError, secret, cause).into_up();
        assert_eq!(detail(&error), "Upstream ReadError");
        let gone = std::io::Error::from_raw_os_error(104);
        let error = Error::because(ErrorType::ReadError, secret, gone).into_up();
        assert!(detail(&error).starts_with("Upstream ReadError: Connection reset"));
        let ours = Error::explain(ErrorType::HTTPStatus(431), "too large").into_down();
        assert_eq!(detail(&ours), "Downstream HTTPStatus: too large");
    }
}
