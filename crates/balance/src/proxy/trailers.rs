use http::HeaderMap;
use http::header::{CONTENT_LENGTH, HOST, HeaderName};

use super::hop_by_hop;
use super::reserved_fields::{is_reserved, remove_alike, remove_client_certificate};

/// Removes from trailers what only a head may say, since their reader may take them for fields of
/// the head. `id` is the field of an id, if requests have ids.
pub(crate) fn clean(trailers: &mut HeaderMap, id: Option<&HeaderName>) {
    remove_alike(trailers, id);
    remove_client_certificate(trailers);
    let only_in_heads = |name: &HeaderName| {
        is_reserved(name)
            || id == Some(name)
            || hop_by_hop::is_one(name)
            || *name == CONTENT_LENGTH
            || *name == HOST
    };
    let unwanted = trailers.keys().filter(|it| only_in_heads(it));
    let unwanted: Vec<_> = unwanted.cloned().collect();
    for name in unwanted {
        trailers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailers_say_nothing_about_the_head() {
        let mut trailers = HeaderMap::new();
        for name in [
            "x_forwarded_for",
            "x-forwarded-for",
            "filch-token",
            "client-cert",
            "client_cert_chain",
            "transfer-encoding",
            "connection",
            "content-length",
            "host",
            "x-request-id",
            "x_request-id",
            "grpc-status",
        ] {
            trailers.append(name, "0".parse().unwrap());
        }
        let id = HeaderName::from_static("x-request-id");
        clean(&mut trailers, Some(&id));
        let left: Vec<_> = trailers.keys().map(HeaderName::as_str).collect();
        assert_eq!(left, ["grpc-status"]);
    }
}
