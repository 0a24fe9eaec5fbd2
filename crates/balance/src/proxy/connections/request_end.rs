//! Where a request ends, so that none of the next one is passed on with it.

use super::chunks::Chunks;

/// The longest body that hyper takes. No body is that long.
const LONGEST: u64 = u64::MAX - 2;

/// How much of the current request is still to come.
///
/// hyper decides what a request is. This keeps the bytes of the next request back until the current
/// one has been answered. The two must agree on the end: what is left of a request that hyper has
/// not read to its end would be served as another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestEnd {
    /// After so many bytes.
    After(u64),
    /// After the last chunk.
    Chunked(Chunks),
    /// Unknown: everything that comes belongs to it.
    Open,
}

impl RequestEnd {
    /// The end of the request with this head, counted from the end of the head, and whether another
    /// request may follow: none may if the end is unknown, was given in two ways, or the client
    /// says so. None if it has two lengths, which hyper would take for one if they are equal, or
    /// one that is too large, which hyper would take for a head that is.
    pub(super) fn of(head: &[u8]) -> Option<(Self, bool)> {
        let mut end = Self::After(0);
        let (mut lengths, mut encodings, mut is_open) = (0, 0, false);
        let (mut closes, mut stays) = (false, false);
        let mut lines = head.split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let is_old = first.trim_ascii_end().ends_with(b" HTTP/1.0");
        for line in lines {
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                continue;
            };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.eq_ignore_ascii_case(b"upgrade") && value.eq_ignore_ascii_case(b"websocket") {
                is_open = true;
            }
            if name.eq_ignore_ascii_case(b"transfer-encoding") {
                encodings += 1;
                end = Self::Chunked(Chunks::BEGIN);
            } else if name.eq_ignore_ascii_case(b"content-length") {
                lengths += 1;
                let length = str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                if length.is_some_and(|length| length > LONGEST) {
                    return None;
                }
                if !matches!(end, Self::Chunked(_)) {
                    end = length.map_or(Self::Open, Self::After);
                }
            } else if name.eq_ignore_ascii_case(b"connection") {
                for option in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    closes |= option.eq_ignore_ascii_case(b"close");
                    stays |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
        }
        if lengths > 1 {
            return None;
        }
        if is_open {
            end = Self::Open;
        }
        let is_wanted = !closes && (stays || !is_old);
        let is_clear = lengths + encodings < 2 && end != Self::Open;
        Some((end, is_wanted && is_clear))
    }

    /// Takes these bytes. Returns how many of them belong to the request.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        match self {
            Self::After(left) => {
                let taken = (bytes.len() as u64).min(*left);
                *left -= taken;
                taken as usize
            }
            Self::Chunked(chunks) => chunks.take(bytes),
            Self::Open => bytes.len(),
        }
    }

    /// Whether the end has been reached.
    pub(super) fn is_reached(&self) -> bool {
        matches!(self, Self::After(0) | Self::Chunked(Chunks::Ended))
    }

    /// Whether the end will never be reached, because what comes is malformed.
    pub(super) fn is_malformed(&self) -> bool {
        *self == Self::Chunked(Chunks::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_says_where_the_request_ends() {
        for (fields, expected) in [
            ("", (RequestEnd::After(0), true)),
            ("content-length: 5\r\n", (RequestEnd::After(5), true)),
            ("Content-Length:5 \r\n", (RequestEnd::After(5), true)),
            ("content-length: five\r\n", (RequestEnd::Open, false)),
            (
                "transfer-encoding: chunked\r\n",
                (RequestEnd::Chunked(Chunks::BEGIN), true),
            ),
            (
                "content-length: 5\r\nTransfer-Encoding: chunked\r\n",
                (RequestEnd::Chunked(Chunks::BEGIN), false),
            ),
            (
                "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
                (RequestEnd::Chunked(Chunks::BEGIN), false),
            ),
            (
                "connection: upgrade\r\nupgrade: websocket\r\n",
                (RequestEnd::Open, false),
            ),
        ] {
            let head = format!("POST /content-length:9 HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
            let found = RequestEnd::of(head.as_bytes());
            assert_eq!(found, Some(expected), "{fields:?}");
        }
        for fields in [
            "content-length: 2\r\nContent-Length: 2",
            "content-length: 18446744073709551615",
            "transfer-encoding: chunked\r\ncontent-length: 18446744073709551615",
        ] {
            let head = format!("POST / HTTP/1.1\r\n{fields}\r\n\r\n");
            assert_eq!(RequestEnd::of(head.as_bytes()), None, "{fields:?}");
        }
    }

    #[test]
    fn the_client_says_whether_another_request_follows() {
        for (version, fields, expected) in [
            ("1.1", "", true),
            ("1.1", "connection: keep-alive\r\n", true),
            ("1.1", "Connection: x, Close\r\n", false),
            ("1.1", "connection: x\r\nconnection: close\r\n", false),
            ("1.0", "", false),
            ("1.0", "connection: Keep-Alive\r\n", true),
            ("1.0", "connection: keep-alive, close\r\n", false),
        ] {
            let head = format!("GET / HTTP/{version}\r\nhost: a\r\n{fields}\r\n");
            let found = RequestEnd::of(head.as_bytes());
            let expected = Some((RequestEnd::After(0), expected));
            assert_eq!(found, expected, "{version} {fields:?}");
        }
    }

    #[test]
    fn bytes_beyond_the_end_stay() {
        let mut end = RequestEnd::After(7);
        assert_eq!(end.take(b"hello"), 5);
        assert!(!end.is_reached());
        assert_eq!(end.take(b"hello"), 2);
        assert!(end.is_reached());
        assert_eq!(end.take(b"hello"), 0);
        assert_eq!(RequestEnd::Open.take(b"hello"), 5);
        assert!(!RequestEnd::Open.is_reached());
    }
}
