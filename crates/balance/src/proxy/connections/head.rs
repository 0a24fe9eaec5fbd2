//! The head of a request: the bytes up to the empty line.

use http::StatusCode;

/// The preface of HTTP/2 (RFC 9113, section 3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What the bytes that were read so far are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The beginning of a head, or nothing.
    Partial,
    /// A head of so many bytes and fields.
    Complete(usize, usize),
    /// The preface of HTTP/2.
    Http2,
    /// Too much; the answer is this.
    TooLarge(StatusCode),
}

/// How large a head may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadLimits {
    pub(super) bytes: usize,
    pub(super) fields: usize,
}

/// Looks at bytes without leading ends of lines, of which the first `seen` have been looked at
/// before.
pub(super) fn look(bytes: &[u8], seen: usize, limits: HeadLimits) -> Head {
    // The end may have begun within the bytes that were seen.
    let from = seen.saturating_sub(3);
    let Some(end) = find_end(&bytes[from..]).map(|end| from + end) else {
        return if bytes.len() <= limits.bytes {
            Head::Partial
        } else if bytes.contains(&b'\n') {
            Head::TooLarge(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)
        } else {
            Head::TooLarge(StatusCode::URI_TOO_LONG)
        };
    };
    let head = &bytes[..end];
    // The request line and the empty line are no fields.
    let fields = head.iter().filter(|byte| **byte == b'\n').count() - 2;
    if end > limits.bytes || fields > limits.fields {
        let line = head.iter().position(|byte| *byte == b'\n').unwrap_or(end);
        return Head::TooLarge(if line > limits.bytes {
            StatusCode::URI_TOO_LONG
        } else {
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
        });
    }
    Head::Complete(end, fields)
}

/// Whether bytes may still become the preface of HTTP/2, or are it.
pub(super) fn look_for_http2(bytes: &[u8]) -> Option<Head> {
    let length = bytes.len().min(PREFACE.len());
    if bytes[..length] != PREFACE[..length] || bytes.is_empty() {
        return None;
    }
    Some(if length == PREFACE.len() {
        Head::Http2
    } else {
        Head::Partial
    })
}

/// How many bytes at the beginning are ends of lines, which may come before a request (RFC 9112,
/// section 2.2).
pub(super) fn empty_lines(bytes: &[u8]) -> usize {
    let is_end = |byte: &&u8| matches!(**byte, b'\r' | b'\n');
    bytes.iter().take_while(is_end).count()
}

/// Where the first empty line ends. A line may end without a carriage return, as for hyper.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == b'\n') {
        let line = from + at + 1;
        match &bytes[line..] {
            [b'\n', ..] => return Some(line + 1),
            [b'\r', b'\n', ..] => return Some(line + 2),
            _ => from = line,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: HeadLimits = HeadLimits {
        bytes: 40,
        fields: 2,
    };

    #[test]
    fn the_end_is_found_however_the_bytes_come() {
        for head in [
            "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET / HTTP/1.1\nhost: a\n\n",
            "GET / HTTP/1.1\r\nhost: a\n\r\n",
        ] {
            let bytes = format!("{head}rest\r\n\r\n");
            for step in 1..bytes.len() {
                let mut seen = 0;
                let found = loop {
                    let now = (seen + step).min(bytes.len());
                    match look(&bytes.as_bytes()[..now], seen, LIMITS) {
                        Head::Partial => seen = now,
                        found => break found,
                    }
                };
                assert_eq!(found, Head::Complete(head.len(), 1), "{head:?} by {step}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_named() {
        let fields = Head::TooLarge(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        let line = Head::TooLarge(StatusCode::URI_TOO_LONG);
        let look = |text: &str| look(text.as_bytes(), 0, LIMITS);
        assert_eq!(
            look("GET / HTTP/1.1\r\na: 1\r\nb: 2\r\nc: 3\r\n\r\n"),
            fields
        );
        assert_eq!(
            look(&format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "x".repeat(40))),
            fields
        );
        assert_eq!(
            look(&format!("GET / HTTP/1.1\r\na: {}", "x".repeat(40))),
            fields
        );
        assert_eq!(look(&format!("GET /{}", "x".repeat(40))), line);
        assert_eq!(
            look(&format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(40))),
            line
        );
    }

    #[test]
    fn http2_begins_with_its_preface() {
        for length in 1..PREFACE.len() {
            assert_eq!(look_for_http2(&PREFACE[..length]), Some(Head::Partial));
        }
        assert_eq!(look_for_http2(PREFACE), Some(Head::Http2));
        assert_eq!(look_for_http2(b"PRI / HTTP/1.1\r\n"), None);
        assert_eq!(look_for_http2(b"GET"), None);
        assert_eq!(look_for_http2(b""), None);
    }
}
