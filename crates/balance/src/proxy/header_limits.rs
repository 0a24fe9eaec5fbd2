use http::request::Parts;
use http::{HeaderValue, StatusCode};

use super::failure::Failure;

/// Checks a request's header against these limits. The failure makes the answer 431.
pub(crate) fn within(request: &Parts, bytes: usize, fields: usize) -> Result<(), Failure> {
    let target = request.uri.path_and_query();
    let line = target.map_or(0, |it| it.as_str().len()) + request.method.as_str().len();
    // Each field has a colon, a space and the end of a line.
    let size = |(name, value): (&http::HeaderName, &HeaderValue)| {
        name.as_str().len() + value.as_bytes().len() + 4
    };
    let size: usize = line + request.headers.iter().map(size).sum::<usize>();
    if size <= bytes && request.headers.len() <= fields {
        return Ok(());
    }
    Err(Failure::Refused(
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "the header of the request is too large",
    ))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn large_headers_are_refused() {
        let (mut large, ()) = Request::get("/").body(()).unwrap().into_parts();
        large.headers.insert("host", HeaderValue::from_static("a"));
        assert!(within(&large, 100, 2).is_ok());
        let long = "y".repeat(100).parse().unwrap();
        large.headers.insert("x", long);
        assert!(within(&large, 100, 2).is_err());
        assert!(within(&large, 200, 2).is_ok());
        assert!(within(&large, 200, 1).is_err());
    }
}
