//! The end of a chunked body (RFC 9112, section 7.1).

/// Finds the end of a chunked body in the bytes as they come.
///
/// It takes what hyper takes, or less: if it found an end where hyper, or a server, finds none, the
/// rest of the body would be the next request. So a line ends with both of its bytes here, also in
/// trailers, where hyper lets one do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chunks {
    /// Before the first digit of a size.
    Begin,
    /// In the digits of a size.
    Size(u64),
    /// In the spaces behind the digits.
    Space(u64),
    /// In an extension, up to the end of the line.
    Extension(u64),
    /// In the end of the line of a size.
    SizeEnd(u64),
    /// So many bytes of data are left.
    Data(u64),
    /// Before the end of the line after the data.
    AfterData,
    /// In the end of the line after the data.
    DataEnd,
    /// At the beginning of a line of the trailer.
    Trailer,
    /// Within a line of the trailer.
    TrailerLine,
    /// In the end of a line of the trailer.
    TrailerLineEnd,
    /// In the end of the empty line.
    LastEnd,
    /// The body has ended.
    Ended,
    /// There is no end.
    Malformed,
}

impl Chunks {
    pub(super) const BEGIN: Self = Self::Begin;

    /// Takes these bytes. Returns how many of them belong to the body: none from the first that is
    /// malformed on.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && *self != Self::Ended {
            if let Self::Data(left) = self {
                let available = (bytes.len() - at) as u64;
                let taken = available.min(*left);
                *left -= taken;
                at += taken as usize;
                if *left == 0 {
                    *self = Self::AfterData;
                }
                continue;
            }
            *self = self.after(bytes[at]);
            if *self == Self::Malformed {
                break;
            }
            at += 1;
        }
        at
    }

    /// The state after this byte, which is no byte of data.
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Begin, _) => Self::digit(0, byte),
            (Self::Size(size) | Self::Space(size), b' ' | b'\t') => Self::Space(size),
            (Self::Size(size) | Self::Space(size), b';') => Self::Extension(size),
            (Self::Size(size) | Self::Space(size) | Self::Extension(size), b'\r') => {
                Self::SizeEnd(size)
            }
            (Self::Size(size), _) => Self::digit(size, byte),
            (Self::SizeEnd(0), b'\n') => Self::Trailer,
            (Self::SizeEnd(size), b'\n') => Self::Data(size),
            (Self::AfterData, b'\r') => Self::DataEnd,
            (Self::DataEnd, b'\n') => Self::Begin,
            (Self::Trailer, b'\r') => Self::LastEnd,
            (Self::LastEnd, b'\n') => Self::Ended,
            (Self::TrailerLine, b'\r') => Self::TrailerLineEnd,
            (Self::TrailerLineEnd, b'\n') => Self::Trailer,
            (Self::Extension(_) | Self::Trailer | Self::TrailerLine, b'\n') => Self::Malformed,
            (Self::Extension(size), _) => Self::Extension(size),
            (Self::Trailer | Self::TrailerLine, _) => Self::TrailerLine,
            _ => Self::Malformed,
        }
    }

    /// The size with another digit.
    fn digit(size: u64, byte: u8) -> Self {
        match char::from(byte).to_digit(16) {
            Some(digit) if size < 1 << 56 => Self::Size(size * 16 + u64::from(digit)),
            _ => Self::Malformed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the end is found, if the bytes come `step` at a time.
    fn end(bytes: &[u8], step: usize) -> Option<usize> {
        let mut chunks = Chunks::BEGIN;
        let mut at = 0;
        for part in bytes.chunks(step) {
            at += chunks.take(part);
            if chunks == Chunks::Ended {
                return Some(at);
            }
        }
        None
    }

    #[test]
    fn the_end_is_found_however_the_bytes_come() {
        for body in [
            "0\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
            "5;x=\"0\"\r\n\r\n\r\n0\r\n0 \t;y\r\n\r\n",
            "A\r\n0123456789\r\n000\r\nname: value\r\n\r\n",
        ] {
            let bytes = format!("{body}GET / HTTP/1.1");
            for step in 1..bytes.len() {
                assert_eq!(
                    end(bytes.as_bytes(), step),
                    Some(body.len()),
                    "{body:?} by {step}"
                );
            }
        }
    }

    #[test]
    fn a_body_that_goes_on_has_no_end() {
        for body in [
            "",
            "5\r\nhello",
            "5\r\nhello\r\n",
            "0\r\n",
            "0\r\nname: value\r\n",
        ] {
            assert_eq!(end(body.as_bytes(), 1), None, "{body:?}");
        }
    }

    /// What hyper refuses, and what it takes for another end than others do.
    #[test]
    fn malformed_bytes_do_not_belong_to_the_body() {
        for (good, bad) in [
            ("", "\r\n"),
            ("", "zz\r\n"),
            ("", "-1\r\n"),
            ("0", "\n\r\n"),
            ("0 ", "\n\r\n"),
            ("0 ", "0\r\n"),
            ("0;x", "\n\r\n"),
            ("0\r", "\r\n\r\n"),
            ("0\r\n", "\n"),
            ("0\r\nX: y", "\n\n"),
            ("0\r\nX: y", "\n\r\n"),
            ("0\r\nX: y\r\n", "\n"),
            ("0\r\nX: y\r", "z\r\n\r\n"),
            ("0\r\n\r", "\r\n"),
            ("1\r\nA", "\n0\r\n\r\n"),
            ("1\r\nA", "BC\r\n0\r\n\r\n"),
            ("1\r\nA\r", "\r0\r\n\r\n"),
            ("fffffffffffffff", "fff\r\nabc"),
        ] {
            let bytes = format!("{good}{bad}GET / HTTP/1.1\r\n\r\n");
            for step in 1..bytes.len() {
                let (mut chunks, mut taken) = (Chunks::BEGIN, 0);
                for part in bytes.as_bytes().chunks(step) {
                    taken += chunks.take(part);
                }
                let found = (chunks, taken);
                assert_eq!(
                    found,
                    (Chunks::Malformed, good.len()),
                    "{bytes:?} by {step}"
                );
            }
        }
    }
}
