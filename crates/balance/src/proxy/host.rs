use http::header::HOST;
use pingora_http::RequestHeader;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_without_port_and_in_lower_case() {
        for (field, expected) in [
            ("Example.ORG", "example.org"),
            ("example.org:8080", "example.org"),
            ("[::1]:8080", "[::1]"),
            ("[::1]", "[::1]"),
            ("", ""),
        ] {
            let mut request = RequestHeader::build("GET", b"/", None).unwrap();
            request.insert_header(HOST, field).unwrap();
            assert_eq!(host(&request), expected);
        }
    }
}
