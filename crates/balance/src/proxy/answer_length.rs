use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue};

use super::failure::Failure;

/// Leaves one length in the head of an answer, or none, so that the client cannot see another end
/// of the answer than the proxy does (RFC 9112, section 6.3).
pub(crate) fn settle(headers: &mut HeaderMap) -> Result<(), Failure> {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    if let Some(encoding) = encodings.next() {
        // No other was asked for: without its name the client could not read the answer.
        if encodings.next().is_some() || !encoding.as_bytes().eq_ignore_ascii_case(b"chunked") {
            return Err(Failure::Garbage);
        }
        // The encoding counts.
        headers.remove(CONTENT_LENGTH);
        return Ok(());
    }
    let mut values = headers.get_all(CONTENT_LENGTH).iter();
    let Some(first) = values.next() else {
        return Ok(());
    };
    let usual = |text: &[u8]| number(text).is_some() && (text == b"0" || text[0] != b'0');
    if values.next().is_none() && usual(first.as_bytes()) {
        return Ok(());
    }
    let mut lengths = headers
        .get_all(CONTENT_LENGTH)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(|part| number(part.trim_ascii()));
    let length = lengths.next().flatten().ok_or(Failure::Garbage)?;
    if lengths.any(|other| other != Some(length)) {
        return Err(Failure::Garbage);
    }
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    Ok(())
}

fn number(text: &[u8]) -> Option<u64> {
    // The standard library would allow a sign.
    let digits = text.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(text).ok().filter(|_| digits)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_length_is_left_at_most() {
        for (fields, expected) in [
            (&[][..], Ok(None)),
            (&[("content-length", "5")], Ok(Some("5"))),
            (&[("content-length", "5, 5")], Ok(Some("5"))),
            (
                &[("content-length", "5"), ("content-length", "5 ,05")],
                Ok(Some("5")),
            ),
            (&[("content-length", "5, 6")], Err(Failure::Garbage)),
            (
                &[("content-length", "5"), ("content-length", "6")],
                Err(Failure::Garbage),
            ),
            (&[("content-length", "+5")], Err(Failure::Garbage)),
            (&[("content-length", "")], Err(Failure::Garbage)),
            (&[("content-length", "5,")], Err(Failure::Garbage)),
            (
                &[("content-length", "99999999999999999999")],
                Err(Failure::Garbage),
            ),
            (
                &[("content-length", "5"), ("transfer-encoding", "chunked")],
                Ok(None),
            ),
            (&[("transfer-encoding", "Chunked")], Ok(None)),
            (&[("transfer-encoding", "gzip")], Err(Failure::Garbage)),
            (
                &[("transfer-encoding", "gzip, chunked")],
                Err(Failure::Garbage),
            ),
            (
                &[("content-length", "5"), ("transfer-encoding", "identity")],
                Err(Failure::Garbage),
            ),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(*name, value.parse().unwrap());
            }
            let settled = settle(&mut headers).map(|()| {
                let lengths: Vec<_> = headers.get_all(CONTENT_LENGTH).iter().collect();
                assert!(lengths.len() < 2, "{fields:?}");
                lengths.first().map(|it| it.to_str().unwrap())
            });
            assert_eq!(settled, expected, "{fields:?}");
        }
    }
}
