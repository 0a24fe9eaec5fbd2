//! Fields that concern one connection alone (RFC 9110, section 7.6.1).

use http::HeaderMap;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderName, TE, TRANSFER_ENCODING, UPGRADE};

use super::reserved_fields::is_forwarded;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

const ALL: [HeaderName; 7] = [
    CONNECTION,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    HTTP2_SETTINGS,
];

/// Removes these fields, and those that `Connection` names.
pub(crate) fn remove(headers: &mut HeaderMap) {
    // Comparing all names once takes less time than looking each one up.
    if !headers.keys().any(|name| ALL.contains(name)) {
        return;
    }
    if headers.contains_key(CONNECTION) {
        let named: Vec<HeaderName> = named(headers)
            .filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok())
            .filter(|name| !concerns_all(name))
            .collect();
        for name in named {
            headers.remove(name);
        }
    }
    for name in &ALL {
        headers.remove(name);
    }
}

/// Whether the field concerns one connection by its own name.
pub(crate) fn is_one(name: &HeaderName) -> bool {
    ALL.contains(name)
}

/// Whether the field concerns all connections on the way, whatever `Connection` says: what a
/// request is for, from where it came, and where its body ends.
fn concerns_all(name: &HeaderName) -> bool {
    *name == HOST || *name == CONTENT_LENGTH || is_forwarded(name)
}

/// Whether `Connection` names this field.
pub(crate) fn names(headers: &HeaderMap, field: &HeaderName) -> bool {
    named(headers).any(|name| name.eq_ignore_ascii_case(field.as_str()))
}

/// What `Connection` names.
fn named(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(CONNECTION).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_concerns_one_connection_is_removed() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "x-secret, Keep-Alive"),
            ("connection", "x-other, host"),
            ("connection", "Content-Length, X-Forwarded-For"),
            ("x-secret", "1"),
            ("x-other", "2"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("http2-settings", "x"),
            ("host", "a"),
            ("content-length", "5"),
            ("x-forwarded-for", "1.1.1.1"),
        ] {
            headers.append(name, value.parse().unwrap());
        }
        assert!(names(&headers, &HeaderName::from_static("x-other")));
        remove(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["content-length", "host", "x-forwarded-for"]);
    }
}
