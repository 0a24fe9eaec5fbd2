use std::borrow::Cow;

use crate::AnswerNumber;

/// The response header by which a server says whether the answer leaves it idle: `idle` or `busy`,
/// with the number of the answer. See [tokens](crate#tokens).
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
    /// Idle or busy, with the number of the answer: of several words the newest counts.
    Numbered {
        /// Whether the answer leaves the server idle.
        idle: bool,
        /// The answer's number.
        number: AnswerNumber,
    },
}

impl Told {
    /// Reads the header's value. A value that says neither `idle` nor `busy`, or has a number that
    /// cannot be read, counts as none. Parameters that are not known here are ignored.
    pub fn read(header: Option<&[u8]>) -> Self {
        let read = || {
            let mut parts = std::str::from_utf8(header?).ok()?.split(';');
            let idle = match parts.next()? {
                IDLE => true,
                BUSY => false,
                _ => return None,
            };
            let (mut boot, mut number) = (None, None);
            for part in parts {
                match part.trim().split_once('=') {
                    Some(("boot", value)) => boot = Some(value.parse().ok()?),
                    Some(("n", value)) => number = Some(value.parse().ok()?),
                    _ => {}
                }
            }
            match (boot, number) {
                (Some(boot), Some(number)) => {
                    let number = AnswerNumber { boot, number };
                    Some(Self::Numbered { idle, number })
                }
                (None, None) if idle => Some(Self::Idle),
                (None, None) => Some(Self::Busy),
                _ => None,
            }
        };
        read().unwrap_or(Self::Silent)
    }

    /// Reads the header among these. A header that occurs twice counts as none: one of the two is
    /// not from the server.
    #[cfg(any(feature = "tower", all(feature = "proxy", unix)))]
    pub(crate) fn of(headers: &http::HeaderMap) -> Self {
        // The text would be parsed for each answer.
        const NAME: http::HeaderName = http::HeaderName::from_static(TOKEN_HEADER);
        let mut values = headers.get_all(&NAME).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => Self::read(Some(value.as_bytes())),
            _ => Self::Silent,
        }
    }

    /// The header's value; `None` if there is to be no header.
    pub fn value(self) -> Option<Cow<'static, str>> {
        let word = |idle| if idle { IDLE } else { BUSY };
        match self {
            Self::Idle => Some(word(true).into()),
            Self::Busy => Some(word(false).into()),
            Self::Silent => None,
            Self::Numbered { idle, number } => {
                let AnswerNumber { boot, number } = number;
                Some(format!("{};boot={boot};n={number}", word(idle)).into())
            }
        }
    }

    /// Whether the server says that the answer leaves it idle.
    pub(crate) fn is_idle(self) -> bool {
        matches!(self, Self::Idle | Self::Numbered { idle: true, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(idle: bool, boot: u64, number: u32) -> Told {
        let number = AnswerNumber { boot, number };
        Told::Numbered { idle, number }
    }

    #[test]
    fn what_is_written_is_read() {
        for told in [
            Told::Idle,
            Told::Busy,
            Told::Silent,
            numbered(true, 0, 0),
            numbered(false, u64::MAX, u32::MAX),
        ] {
            let value = told.value();
            assert_eq!(
                Told::read(value.as_ref().map(|value| value.as_bytes())),
                told
            );
        }
        for nonsense in [
            "",
            "Idle",
            "idle, idle",
            "idle ",
            "1",
            "idle;boot=1",
            "idle;n=1",
            "idle;boot=1;n=-1",
            "busy;boot=x;n=1",
            "idle;boot=1;n=4294967296",
        ] {
            assert_eq!(
                Told::read(Some(nonsense.as_bytes())),
                Told::Silent,
                "{nonsense}"
            );
        }
        let later = "busy; n=2; boot=1; left=7";
        assert_eq!(Told::read(Some(later.as_bytes())), numbered(false, 1, 2));
        assert_eq!(Told::read(Some(b"idle;\xff")), Told::Silent);
    }

    #[cfg(any(feature = "tower", all(feature = "proxy", unix)))]
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
