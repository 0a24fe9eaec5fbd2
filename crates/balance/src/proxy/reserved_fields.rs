//! Fields in which the proxy and its servers tell each other something: the token,
//! `x-forwarded-*`, and the id of a request if it has one. Clients cannot send or remove them in
//! roundabout ways.

use http::{HeaderMap, HeaderName};

use crate::TOKEN_HEADER;

const FORWARDED: &str = "x-forwarded-";

/// Whether the field says from where and for what a request came.
pub(crate) fn is_forwarded(name: &HeaderName) -> bool {
    name.as_str().starts_with(FORWARDED)
}

/// Removes fields whose names become reserved ones where `_` is taken for `-`, as it is by CGI and
/// what has learned from it.
///
/// The field of an id is one of them, if requests have ids.
pub(crate) fn remove_alike(headers: &mut HeaderMap, id: Option<&HeaderName>) {
    let is_taken = |name: &str| is_reserved_name(name) || id.is_some_and(|id| *id == name);
    let alike = |name: &HeaderName| {
        name.as_str().contains('_') && is_taken(&name.as_str().replace('_', "-"))
    };
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

fn is_reserved_name(name: &str) -> bool {
    name == TOKEN_HEADER || name.starts_with(FORWARDED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_spellings_are_removed() {
        let mut headers = HeaderMap::new();
        for name in [
            "x_forwarded_for",
            "x-forwarded_host",
            "filch_token",
            "x-forwarded-for",
            "a_b",
            "x_request_id",
        ] {
            headers.append(name, "x".parse().unwrap());
        }
        remove_alike(&mut headers, None);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["a_b", "x-forwarded-for", "x_request_id"]);
        remove_alike(&mut headers, Some(&HeaderName::from_static("x-request-id")));
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["a_b", "x-forwarded-for"]);
    }
}
