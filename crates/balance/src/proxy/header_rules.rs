//! Headers that different readers could understand differently are refused.
//!
//! RFC 9112 lets a recipient repair some of them, for example take equal lengths for one. Whatever
//! is repaired here could be read in another way by a server, so nothing is.

use http::header::{CONTENT_LENGTH, COOKIE, HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, Version};

use super::failure::Failure;
use super::host_rules::is_host;

/// Checks the header of a request. The failure makes the answer 400.
pub(crate) fn unambiguous(request: &Parts) -> Result<(), Failure> {
    let headers = &request.headers;
    let problem = length(headers)
        .or_else(|| encoding(headers))
        .or_else(|| host(request))
        .or_else(|| path(request))
        .or_else(|| values(request));
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
    if !digits {
        return Some("content-length is not a number");
    }
    // Servers that count in signed numbers would read a larger one as a negative one.
    let number = first
        .to_str()
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    number
        .is_none()
        .then_some("content-length is larger than any body")
}

/// Leaves out the zeros that a length begins with: a server might take it for an octal number.
pub(crate) fn respell_length(headers: &mut HeaderMap) {
    let Some(length) = headers.get_mut(CONTENT_LENGTH) else {
        return;
    };
    let zeros = |text: &&str| text.len() > 1 && text.starts_with('0');
    let number = length.to_str().ok().filter(zeros);
    if let Some(number) = number.and_then(|text| text.parse::<u64>().ok()) {
        *length = HeaderValue::from(number);
    }
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
    let asked = request.uri.authority().map(|it| it.as_str().as_bytes());
    if asked.is_some_and(|asked| !is_host(asked)) {
        return Some("the host that is asked for is not a name and a port");
    }
    let mut hosts = request.headers.get_all(HOST).iter();
    let Some(first) = hosts.next() else {
        // HTTP/1.1 wants the field, HTTP/2 one of the two, HTTP/1.0 neither.
        let required = match request.version {
            Version::HTTP_11 => true,
            Version::HTTP_2 => asked.is_none(),
            _ => false,
        };
        return required.then_some("there is no host");
    };
    if hosts.next().is_some() {
        return Some("host occurs twice");
    }
    // An empty one says that there is no name.
    if !first.is_empty() && !is_host(first.as_bytes()) {
        return Some("host is not a name and a port");
    }
    let differs = asked.is_some_and(|asked| !asked.eq_ignore_ascii_case(first.as_bytes()));
    differs.then_some("host is not the one that is asked for")
}

/// Bytes beyond ASCII must be encoded in a path (RFC 3986, section 2.1).
fn path(request: &Parts) -> Option<&'static str> {
    let path = request.uri.path_and_query()?;
    (!path.as_str().is_ascii()).then_some("the path is not ASCII")
}

/// HTTP/2 has no spaces around a value (RFC 9113, section 8.2.1). With HTTP/1 they are no part of
/// it.
fn values(request: &Parts) -> Option<&'static str> {
    let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let is_bad = |value: &HeaderValue| {
        let bytes = value.as_bytes();
        is_space(bytes.first()) || is_space(bytes.last())
    };
    let has_bad = request.version == Version::HTTP_2 && request.headers.values().any(is_bad);
    has_bad.then_some("a value begins or ends with a space")
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
        for (target, good) in [
            ("http://A/x", true),
            ("http://b/x", false),
            ("/a?b=%C3%A9", true),
            ("/\u{e9}", false),
            ("/a?b=\u{e9}", false),
        ] {
            let mut whole = request(&[("host", "a")]);
            whole.uri = target.parse().unwrap();
            assert_eq!(unambiguous(&whole).is_ok(), good, "{target}");
        }
    }

    #[test]
    fn http2_has_rules_of_its_own() {
        for (target, fields, good) in [
            ("http://a/", &[][..], true),
            ("http://a:80/", &[], true),
            ("/", &[("host", "a")], true),
            ("/", &[], false),
            ("http://u@a/", &[], false),
            ("http://u@a/", &[("host", "u@a")], false),
            ("http://a:99999/", &[], false),
            ("http://a/", &[("x", "")], true),
            ("http://a/", &[("x", "a b")], true),
            ("http://a/", &[("x", " b")], false),
            ("http://a/", &[("x", "b\t")], false),
        ] {
            let mut request = request(fields);
            request.version = Version::HTTP_2;
            request.uri = target.parse().unwrap();
            let found = unambiguous(&request).is_ok();
            assert_eq!(found, good, "{target} {fields:?}");
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
