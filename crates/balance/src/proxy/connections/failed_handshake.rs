use std::io;

use tokio_rustls::rustls::Error;

/// Why the TLS handshake with a client has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailedHandshake {
    /// The client has shown no certificate where it must, or one that is not accepted.
    Certificate,
    /// The client has refused, because of our certificate for example.
    Alert,
    /// There is no version, cipher or protocol that both sides have.
    Incompatible,
    /// What the client has sent is not TLS, or breaks its rules.
    Malformed,
    /// It took too long.
    TimedOut,
    /// The connection has ended before.
    Broken,
    /// Something else.
    Other,
}

impl FailedHandshake {
    pub(crate) const ALL: [Self; 7] = [
        Self::Certificate,
        Self::Alert,
        Self::Incompatible,
        Self::Malformed,
        Self::TimedOut,
        Self::Broken,
        Self::Other,
    ];

    /// The name in metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Certificate => "certificate",
            Self::Alert => "alert",
            Self::Incompatible => "incompatible",
            Self::Malformed => "malformed",
            Self::TimedOut => "timeout",
            Self::Broken => "broken",
            Self::Other => "other",
        }
    }

    pub(super) fn of(error: &io::Error) -> Self {
        let of_tls = error.get_ref().and_then(|it| it.downcast_ref::<Error>());
        match of_tls {
            None if error.kind() == io::ErrorKind::TimedOut => Self::TimedOut,
            None => Self::Broken,
            Some(Error::NoCertificatesPresented | Error::InvalidCertificate(_)) => {
                Self::Certificate
            }
            Some(Error::AlertReceived(_)) => Self::Alert,
            Some(Error::PeerIncompatible(_) | Error::NoApplicationProtocol) => Self::Incompatible,
            Some(
                Error::InvalidMessage(_)
                | Error::InappropriateMessage { .. }
                | Error::InappropriateHandshakeMessage { .. }
                | Error::PeerMisbehaved(_)
                | Error::PeerSentOversizedRecord
                | Error::DecryptError,
            ) => Self::Malformed,
            Some(_) => Self::Other,
        }
    }
}
