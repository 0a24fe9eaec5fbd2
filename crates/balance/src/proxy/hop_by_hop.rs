//! Fields that concern one connection alone (RFC 9110, section 7.6.1).

use http::HeaderMap;
use http::header::{CONNECTION, HOST, HeaderName, TE, TRANSFER_ENCODING, UPGRADE};

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
            // A client cannot take from a request what it is for.
            .filter(|name| *name != HOST)
            .collect();
        for name in named {
            headers.remove(name);
        }
    }
    for name in &ALL {
        headers.remove(name);
    }
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
            ("x-secret", "1"),
            ("x-other", "2"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("http2-settings", "x"),
            ("host", "a"),
        ] {
            headers.append(name, value.parse().unwrap());
        }
        assert!(names(&headers, &HeaderName::from_static("x-other")));
        remove(&mut headers);
        assert_eq!(headers.len(), 1);
        assert_eq!(headers["host"], "a");
    }
}
