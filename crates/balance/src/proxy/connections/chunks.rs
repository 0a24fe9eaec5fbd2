//! The end of a chunked body (RFC 9112, section 7.1).

/// Finds the end of a chunked body in the bytes as they come. It checks no more than that needs:
/// hyper parses the same bytes and refuses what is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chunks {
    /// In the digits of a size.
    Size(u64),
    /// Behind the digits, up to the end of the line.
    Extension(u64),
    /// So many bytes of data, and of the end of the line after them, are left.
    Data(u64),
    /// At the beginning of a line of the trailer.
    Trailer,
    /// Within a line of the trailer.
    TrailerLine,
    /// The body has ended.
    Ended,
    /// No end can be found.
    Malformed,
}

impl Chunks {
    pub(super) const BEGIN: Self = Self::Size(0);

    /// Takes these bytes. Returns how many of them belong to the body: all of them if it is
    /// malformed.
    pub(super) fn take(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() && *self != Self::Ended {
            if let Self::Data(left) = self {
                let available = (bytes.len() - at) as u64;
                let taken = available.min(*left);
                *left -= taken;
                at += taken as usize;
                if *left == 0 {
                    *self = Self::Size(0);
                }
                continue;
            }
            *self = self.after(bytes[at]);
            at += 1;
        }
        at
    }

    /// The state after this byte, which is no byte of data.
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Size(0) | Self::Extension(0), b'\n') => Self::Trailer,
            // The data is followed by the two bytes of an end of line.
            (Self::Size(size) | Self::Extension(size), b'\n') => Self::Data(size + 2),
            (Self::Size(size), _) => match char::from(byte).to_digit(16) {
                Some(digit) if size < 1 << 56 => Self::Size(size * 16 + u64::from(digit)),
                Some(_) => Self::Malformed,
                None => Self::Extension(size),
            },
            (Self::Trailer, b'\n') => Self::Ended,
            (Self::Trailer, b'\r') => Self::Trailer,
            (Self::TrailerLine, b'\n') => Self::Trailer,
            (Self::Trailer | Self::TrailerLine, _) => Self::TrailerLine,
            (state, _) => state,
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
            "5;x=\"0\"\r\n\r\n\r\n0\r\n0\r\n\r\n",
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

    #[test]
    fn a_size_that_overflows_is_malformed() {
        let mut chunks = Chunks::BEGIN;
        let bytes = b"ffffffffffffffffff\r\nabc";
        assert_eq!(chunks.take(bytes), bytes.len());
        assert_eq!(chunks, Chunks::Malformed);
    }
}
