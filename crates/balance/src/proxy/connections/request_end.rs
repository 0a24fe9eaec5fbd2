//! Where a request ends, so that none of the next one is passed on with it.

use super::chunks::Chunks;

/// How much of the current request is still to come.
///
/// Pingora decides what a request is. This only keeps the bytes of the next request back until
/// Pingora has finished with the current one. If the two disagreed, Pingora would wait for bytes in
/// vain, or find bytes too many and close the connection: neither mixes two requests up.
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
    /// The end of the request with this head, counted from the end of the head.
    pub(super) fn of(head: &[u8]) -> Self {
        let mut end = Self::After(0);
        for line in head.split(|byte| *byte == b'\n').skip(1) {
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                continue;
            };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.eq_ignore_ascii_case(b"upgrade") {
                return Self::Open;
            }
            if name.eq_ignore_ascii_case(b"transfer-encoding") {
                end = Self::Chunked(Chunks::BEGIN);
            } else if name.eq_ignore_ascii_case(b"content-length")
                && !matches!(end, Self::Chunked(_))
            {
                let length = str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                end = length.map_or(Self::Open, Self::After);
            }
        }
        end
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_says_where_the_request_ends() {
        for (fields, expected) in [
            ("", RequestEnd::After(0)),
            ("content-length: 5\r\n", RequestEnd::After(5)),
            ("Content-Length:5 \r\n", RequestEnd::After(5)),
            ("content-length: five\r\n", RequestEnd::Open),
            (
                "content-length: 5\r\nTransfer-Encoding: chunked\r\n",
                RequestEnd::Chunked(Chunks::BEGIN),
            ),
            (
                "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
                RequestEnd::Chunked(Chunks::BEGIN),
            ),
            (
                "connection: upgrade\r\nupgrade: websocket\r\n",
                RequestEnd::Open,
            ),
        ] {
            let head = format!("POST /content-length:9 HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
            assert_eq!(RequestEnd::of(head.as_bytes()), expected, "{fields:?}");
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
