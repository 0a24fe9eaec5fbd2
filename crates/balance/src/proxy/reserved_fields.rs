//! Fields in which the proxy and its servers tell each other something: the token,
//! `x-forwarded-*`, the id of a request if it has one, and `client-cert` where it is in use.
//! Clients cannot send or remove them in roundabout ways.

use http::{HeaderMap, HeaderName};

use super::tls::{CLIENT_CERT, CLIENT_CERT_CHAIN};
use crate::TOKEN_HEADER;

const FORWARDED: &str = "x-forwarded-";

/// Whether the field says from where and for what a request came.
pub(crate) fn is_forwarded(name: &HeaderName) -> bool {
    name.as_str().starts_with(FORWARDED)
}

/// Removes fields whose names become reserved ones where `_` is taken for `-`, as it is by CGI and
/// what has learned from it. Some, such as lighttpd, take for `-` everything that is neither a
/// letter nor a digit.
///
/// The field of an id is one of them, if requests have ids.
pub(crate) fn remove_alike(headers: &mut HeaderMap, id: Option<&HeaderName>) {
    let is_taken =
        |name: &str| is_reserved_name(name) || id.is_some_and(|id| as_by_cgi(id) == name);
    let alike = |name: &HeaderName| is_spelled_oddly(name) && is_taken(&as_by_cgi(name));
    // Most requests have none, which costs no allocation.
    let alike: Vec<_> = headers.keys().filter(|it| alike(it)).cloned().collect();
    for name in alike {
        headers.remove(name);
    }
}

/// Whether the name is a reserved one.
pub(crate) fn is_reserved(name: &HeaderName) -> bool {
    is_reserved_name(name.as_str())
}

/// Removes what only the proxy may say about a client's certificate, also in such spellings.
pub(crate) fn remove_client_certificate(headers: &mut HeaderMap) {
    let is_one = |name: &HeaderName| is_client_certificate(&as_by_cgi(name));
    // Most requests have none, which costs no allocation.
    let names = headers
        .keys()
        .filter(|it| it.as_str().starts_with("client") && is_one(it));
    let names: Vec<_> = names.cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Whether the name has characters that some readers take for others.
fn is_spelled_oddly(name: &HeaderName) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.as_str().bytes().all(is_plain)
}

/// The name with `-` for all that is no letter and no digit.
fn as_by_cgi(name: &HeaderName) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    name.as_str().chars().map(plain).collect()
}

fn is_client_certificate(name: &str) -> bool {
    name == CLIENT_CERT.as_str() || name == CLIENT_CERT_CHAIN.as_str()
}

fn is_reserved_name(name: &str) -> bool {
    name == TOKEN_HEADER || name.starts_with(FORWARDED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_about_a_certificate() {
        let mut headers = HeaderMap::new();
        for name in [
            "client-cert",
            "client_cert",
            "client-cert_chain",
            "client_cert_chain",
            "client.cert",
            "client~cert+chain",
            "client-cert-chains",
            "client",
        ] {
            headers.append(name, "x".parse().unwrap());
            headers.append(name, "y".parse().unwrap());
        }
        remove_client_certificate(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["client", "client-cert-chains"]);
    }

    #[test]
    fn other_spellings_are_removed() {
        let mut headers = HeaderMap::new();
        for name in [
            "x_forwarded_for",
            "x-forwarded_host",
            "filch_token",
            "x.forwarded.for",
            "x-forwarded~host",
            "filch!token",
            "x-forwarded-for",
            "a_b",
            "x_request_id",
            "x.request+id",
        ] {
            headers.append(name, "x".parse().unwrap());
        }
        remove_alike(&mut headers, None);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        let expected = ["a_b", "x-forwarded-for", "x.request+id", "x_request_id"];
        assert_eq!(left, expected);
        remove_alike(&mut headers, Some(&HeaderName::from_static("x-request-id")));
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["a_b", "x-forwarded-for"]);
    }
}
