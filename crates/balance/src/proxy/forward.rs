//! What is read from and written into headers on their way.

use http::header::{HOST, HeaderValue};
use pingora_error::{Error, ErrorType, Result};
use pingora_http::RequestHeader;
use pingora_proxy::Session;

use super::config::Forwarded;

const FOR: &str = "x-forwarded-for";
const PROTO: &str = "x-forwarded-proto";

/// Whether a request's header is within these limits; otherwise the error is the answer 431.
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

/// The host that a request is for, in lower case and without port.
pub(crate) fn host(request: &RequestHeader) -> String {
    let authority = request.uri.authority().map(|authority| authority.as_str());
    let field = request
        .headers
        .get(HOST)
        .and_then(|value| value.to_str().ok());
    let host = authority.or(field).unwrap_or("");
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let without_port = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    };
    without_port.to_ascii_lowercase()
}

/// Says for whom and over what the request came.
pub(crate) fn add(
    session: &Session,
    request: &mut RequestHeader,
    forwarded: Forwarded,
) -> Result<()> {
    let client = session.client_addr().and_then(|address| address.as_inet());
    if let Some(client) = client {
        let client = client.ip().to_string();
        let earlier: Vec<_> = match forwarded {
            Forwarded::Replace => Vec::new(),
            Forwarded::Append => request
                .headers
                .get_all(FOR)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .map(str::to_owned)
                .collect(),
        };
        let all = earlier.into_iter().chain([client]).collect::<Vec<_>>();
        request.insert_header(FOR, all.join(", "))?;
    }
    let behind_another = forwarded == Forwarded::Append && request.headers.contains_key(PROTO);
    if !behind_another {
        let digest = session.digest();
        let encrypted = digest.is_some_and(|digest| digest.ssl_digest.is_some());
        request.insert_header(PROTO, if encrypted { "https" } else { "http" })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(host: &str) -> RequestHeader {
        let mut request = RequestHeader::build("GET", b"/", None).unwrap();
        request.insert_header(HOST, host).unwrap();
        request
    }

    #[test]
    fn the_host_is_without_port_and_in_lower_case() {
        for (field, expected) in [
            ("Example.ORG", "example.org"),
            ("example.org:8080", "example.org"),
            ("[::1]:8080", "[::1]"),
            ("[::1]", "[::1]"),
            ("", ""),
        ] {
            assert_eq!(host(&request(field)), expected);
        }
    }

    #[test]
    fn large_headers_are_refused() {
        let mut large = request("a");
        assert!(within(&large, 100, 2).is_ok());
        large.insert_header("x", "y".repeat(100)).unwrap();
        assert!(within(&large, 100, 2).is_err());
        assert!(within(&large, 200, 2).is_ok());
        assert!(within(&large, 200, 1).is_err());
    }
}
