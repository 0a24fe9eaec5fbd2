use http::HeaderMap;
use http::header::{CONTENT_LENGTH, HOST, HeaderName};

use super::hop_by_hop;
use super::reserved_fields::{is_reserved, remove_alike, remove_client_certificate};

/// Removes from trailers what only a head may say, since their reader may take them for fields of
/// the head.
pub(crate) fn clean(trailers: &mut HeaderMap) {
    remove_alike(trailers);
    remove_client_certificate(trailers);
    let only_in_heads = |name: &HeaderName| {
        is_reserved(name) || hop_by_hop::is_one(name) || *name == CONTENT_LENGTH || *name == HOST
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
            "grpc-status",
        ] {
            trailers.append(name, "0".parse().unwrap());
        }
        clean(&mut trailers);
        let left: Vec<_> = trailers.keys().map(HeaderName::as_str).collect();
        assert_eq!(left, ["grpc-status"]);
    }
}
