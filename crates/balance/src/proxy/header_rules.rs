//! Headers that different readers could understand differently are refused.
//!
//! RFC 9112 lets a recipient repair some of them, for example take equal lengths for one. Whatever
//! is repaired here could be read in another way by a server, so nothing is.

use http::header::{CONTENT_LENGTH, COOKIE, HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, StatusCode, Version};

use super::failure::Failure;

/// Checks the header of a request. The failure makes the answer 400.
pub(crate) fn unambiguous(request: &Parts) -> Result<(), Failure> {
    let headers = &request.headers;
    let problem = length(headers)
        .or_else(|| encoding(headers))
        .or_else(|| host(request));
    match problem {
        None => Ok(()),
        Some(problem) => Err(Failure::Refused(StatusCode::BAD_REQUEST, problem)),
    }
}

fn length(headers: &HeaderMap) -> Option<&'static str> {
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    let first = lengths.next()?;
    if lengths.next().is_some() {
        return Some("content-length occurs twice");
    }
    let digits = !first.is_empty() && first.as_bytes().iter().all(u8::is_ascii_digit);
    (!digits).then_some("content-length is not a number")
}

fn encoding(headers: &HeaderMap) -> Option<&'static str> {
    let mut encodings = headers.get_all(TRANSFER_ENCODING).iter();
    let first = encodings.next()?;
    if encodings.next().is_some() {
        return Some("transfer-encoding occurs twice");
    }
    let chunked = first.as_bytes().eq_ignore_ascii_case(b"chunked");
    (!chunked).then_some("transfer-encoding is not chunked alone")
}

fn host(request: &Parts) -> Option<&'static str> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let Some(first) = hosts.next() else {
        let required = request.version == Version::HTTP_11;
        return required.then_some("there is no host");
    };
    if hosts.next().is_some() {
        return Some("host occurs twice");
    }
    if !is_host(first) {
        return Some("host is not a name and a port");
    }
    let asked = request.uri.authority().map(|it| it.as_str().as_bytes());
    let differs = asked.is_some_and(|asked| !asked.eq_ignore_ascii_case(first.as_bytes()));
    differs.then_some("host is not the one that is asked for")
}

/// Whether this is a host and perhaps a port. An empty one says that there is no name.
fn is_host(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    bytes.is_empty() || !bytes.contains(&b'@') && Authority::try_from(bytes).is_ok()
}

/// Joins several `cookie` fields, which HTTP/2 allows and HTTP/1 does not (RFC 9113, section
/// 8.2.3).
pub(crate) fn join_cookies(headers: &mut HeaderMap) {
    let cookies: Vec<_> = headers
        .get_all(COOKIE)
        .iter()
        .map(HeaderValue::as_bytes)
        .collect();
    if cookies.len() < 2 {
        return;
    }
    // What is joined by these two characters is a value again.
    if let Ok(joined) = HeaderValue::from_bytes(&cookies.join(&b"; "[..])) {
        headers.insert(COOKIE, joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(fields: &[(&'static str, &str)]) -> Parts {
        let (mut request, ()) = http::Request::post("/").body(()).unwrap().into_parts();
        for (name, value) in fields {
            request.headers.append(*name, value.parse().unwrap());
        }
        request
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for (fields, good) in [
            (&[("host", "a")][..], true),
            (&[("host", "a.example:8080")], true),
            (&[("host", "[::1]:80")], true),
            (&[("host", "")], true),
            (&[], false),
            (&[("host", "a"), ("host", "a")], false),
            (&[("host", "a b")], false),
            (&[("host", "me@a")], false),
            (&[("host", "a/b")], false),
            (&[("host", "a"), ("content-length", "2")], true),
            (&[("host", "a"), ("content-length", "2, 2")], false),
            (&[("host", "a"), ("content-length", "")], false),
            (
                &[
                    ("host", "a"),
                    ("content-length", "2"),
                    ("content-length", "2"),
                ],
                false,
            ),
            (&[("host", "a"), ("transfer-encoding", "Chunked")], true),
            (
                &[("host", "a"), ("transfer-encoding", "gzip, chunked")],
                false,
            ),
            (
                &[("host", "a"), ("transfer-encoding", "chunked, chunked")],
                false,
            ),
        ] {
            assert_eq!(unambiguous(&request(fields)).is_ok(), good, "{fields:?}");
        }
        let mut old = request(&[]);
        old.version = Version::HTTP_10;
        assert!(unambiguous(&old).is_ok(), "HTTP/1.0 has no host");
        for (target, good) in [("http://A/x", true), ("http://b/x", false)] {
            let mut whole = request(&[("host", "a")]);
            whole.uri = target.parse().unwrap();
            assert_eq!(unambiguous(&whole).is_ok(), good, "{target}");
        }
    }

    #[test]
    fn cookies_are_joined() {
        let mut several = request(&[("cookie", "a=1"), ("cookie", "b=2; c=3"), ("cookie", "d=4")]);
        join_cookies(&mut several.headers);
        let all: Vec<_> = several.headers.get_all(COOKIE).iter().collect();
        assert_eq!(all, ["a=1; b=2; c=3; d=4"]);
    }
}
