use http::HeaderValue;
use pingora_error::{Error, ErrorType, Result};
use pingora_http::RequestHeader;

/// Checks a request's header against these limits. The error makes the answer 431.
pub(crate) fn within(request: &RequestHeader, bytes: usize, fields: usize) -> Result<()> {
    let line = request.raw_path().len() + request.method.as_str().len();
    // Each field has a colon, a space and the end of a line.
    let size = |(name, value): (&http::HeaderName, &HeaderValue)| {
        name.as_str().len() + value.as_bytes().len() + 4
    };
    let size: usize = line + request.headers.iter().map(size).sum::<usize>();
    if size <= bytes && request.headers.len() <= fields {
        return Ok(());
    }
    Err(Error::explain(
        ErrorType::HTTPStatus(431),
        "the header of the request is too large",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_headers_are_refused() {
        let mut large = RequestHeader::build("GET", b"/", None).unwrap();
        large.insert_header("host", "a").unwrap();
        assert!(within(&large, 100, 2).is_ok());
        large.insert_header("x", "y".repeat(100)).unwrap();
        assert!(within(&large, 100, 2).is_err());
        assert!(within(&large, 200, 2).is_ok());
        assert!(within(&large, 200, 1).is_err());
    }
}
