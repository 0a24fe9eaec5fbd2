//! Where a request ends, so that none of the next one is passed on with it.

use super::chunks::Chunks;

/// How much of the current request is still to come.
///
/// hyper decides what a request is. This only keeps the bytes of the next request back until the
/// current one has been answered. If the two disagreed, hyper would wait for bytes in vain, or find
/// bytes too many, and the connection would be closed: neither mixes two requests up.
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
    /// request may follow: none may if the end is unknown, or was given in two ways. None if it has
    /// two lengths, which hyper would take for one if they are equal.
    pub(super) fn of(head: &[u8]) -> Option<(Self, bool)> {
        let mut end = Self::After(0);
        let (mut lengths, mut encodings, mut is_open) = (0, 0, false);
        for line in head.split(|byte| *byte == b'\n').skip(1) {
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
                if matches!(end, Self::Chunked(_)) {
                    continue;
                }
                let length = str::from_utf8(value)
                    .ok()
                    .and_then(|text| text.parse().ok());
                end = length.map_or(Self::Open, Self::After);
            }
        }
        if lengths > 1 {
            return None;
        }
        if is_open {
            end = Self::Open;
        }
        Some((end, lengths + encodings < 2 && end != Self::Open))
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
        let twice = b"POST / HTTP/1.1\r\ncontent-length: 2\r\nContent-Length: 2\r\n\r\n";
        assert_eq!(RequestEnd::of(twice), None);
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
