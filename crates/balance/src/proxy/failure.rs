use std::fmt;
use std::io;

use http::StatusCode;

/// Why a request, or an attempt to have it served, has failed.
///
/// It holds nothing that was received, so that it can be logged: headers may have cookies and
/// passwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The proxy refuses the request, with this status and for this reason.
    Refused(StatusCode, &'static str),
    /// The queue of the group is full.
    QueueFull,
    /// No server was free before the wait was over.
    QueueTimedOut,
    /// There is no connection to the server; the system's error, if it has one.
    NoConnection(Option<i32>),
    /// A connection to the server took too long.
    ConnectTimedOut,
    /// The server's certificate is not accepted, or the handshake failed in another way.
    Handshake,
    /// The server took too long.
    ServerTimedOut,
    /// The connection to the server broke; the system's error, if it has one.
    Broken(Option<i32>),
    /// The server's answer is not HTTP.
    Garbage,
    /// The client took too long to send its request.
    ClientTimedOut,
    /// The client left.
    ClientLeft,
    /// The proxy has made a mistake.
    Bug(&'static str),
}

impl Failure {
    /// Whether the server has failed, rather than the client or the proxy.
    pub(crate) fn is_servers(self) -> bool {
        matches!(
            self,
            Self::NoConnection(_)
                | Self::ConnectTimedOut
                | Self::Handshake
                | Self::ServerTimedOut
                | Self::Broken(_)
                | Self::Garbage
        )
    }

    /// What an error of a connection to a server means.
    pub(crate) fn of_server(error: &hyper::Error) -> Self {
        if error.is_parse() {
            return Self::Garbage;
        }
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return Self::of_server_io(error);
            }
            cause = error.source();
        }
        Self::Broken(None)
    }

    fn of_server_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Self::ServerTimedOut,
            _ => Self::Broken(error.raw_os_error()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, system) = match self {
            Self::Refused(_, reason) | Self::Bug(reason) => (*reason, None),
            Self::QueueFull => ("the queue of the group is full", None),
            Self::QueueTimedOut => ("no server was free before the wait was over", None),
            Self::NoConnection(system) => ("no connection to the server", *system),
            Self::ConnectTimedOut => ("a connection to the server took too long", None),
            Self::Handshake => ("the TLS handshake with the server failed", None),
            Self::ServerTimedOut => ("the server took too long", None),
            Self::Broken(system) => ("the connection to the server broke", *system),
            Self::Garbage => ("the server's answer is not HTTP", None),
            Self::ClientTimedOut => ("the client took too long to send its request", None),
            Self::ClientLeft => ("the client left", None),
        };
        f.write_str(text)?;
        match system {
            Some(code) => write!(f, ": {}", io::Error::from_raw_os_error(code)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_error_is_told() {
        let reset = Failure::of_server_io(&io::Error::from_raw_os_error(104));
        let text = reset.to_string();
        assert!(
            text.starts_with("the connection to the server broke: Connection reset"),
            "{text}"
        );
        let secret = Failure::of_server_io(&io::Error::other("session=secret"));
        assert_eq!(secret, Failure::Broken(None));
        let late = Failure::of_server_io(&io::ErrorKind::TimedOut.into());
        assert_eq!(late, Failure::ServerTimedOut);
    }
}
