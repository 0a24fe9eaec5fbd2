/// The response header by which a server says whether the answer leaves it idle: `idle` or `busy`.
/// See [tokens](crate#tokens).
pub const TOKEN_HEADER: &str = "filch-token";

const IDLE: &str = "idle";
const BUSY: &str = "busy";

/// What an answer said about the server that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// The answer leaves the server idle: this is its token.
    Idle,
    /// The server has other requests.
    Busy,
    /// Nothing: our own count of outstanding requests is used instead.
    Silent,
}

impl Told {
    /// Reads the header's value. A value that is neither `idle` nor `busy` counts as none.
    pub fn read(header: Option<&[u8]>) -> Self {
        match header {
            Some(value) if value == IDLE.as_bytes() => Self::Idle,
            Some(value) if value == BUSY.as_bytes() => Self::Busy,
            _ => Self::Silent,
        }
    }

    /// Reads the header among these. A header that occurs twice counts as none: one of the two is
    /// not from the server.
    #[cfg(any(feature = "tower", feature = "proxy"))]
    pub(crate) fn of(headers: &http::HeaderMap) -> Self {
        let mut values = headers.get_all(TOKEN_HEADER).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => Self::read(Some(value.as_bytes())),
            _ => Self::Silent,
        }
    }

    /// The header's value; `None` if there is to be no header.
    pub const fn value(self) -> Option<&'static str> {
        match self {
            Self::Idle => Some(IDLE),
            Self::Busy => Some(BUSY),
            Self::Silent => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for told in [Told::Idle, Told::Busy, Told::Silent] {
            assert_eq!(Told::read(told.value().map(str::as_bytes)), told);
        }
        for nonsense in ["", "Idle", "idle, idle", "idle ", "1"] {
            assert_eq!(Told::read(Some(nonsense.as_bytes())), Told::Silent);
        }
    }

    #[cfg(any(feature = "tower", feature = "proxy"))]
    #[test]
    fn a_header_that_occurs_twice_counts_as_none() {
        let mut headers = http::HeaderMap::new();
        assert_eq!(Told::of(&headers), Told::Silent);
        headers.append(TOKEN_HEADER, http::HeaderValue::from_static("idle"));
        assert_eq!(Told::of(&headers), Told::Idle);
        headers.append(TOKEN_HEADER, http::HeaderValue::from_static("idle"));
        assert_eq!(Told::of(&headers), Told::Silent);
    }
}
