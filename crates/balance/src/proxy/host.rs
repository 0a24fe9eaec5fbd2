use http::header::HOST;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri};

/// The host that a request is for, in lower case and without port.
pub(crate) fn host(uri: &Uri, headers: &HeaderMap) -> String {
    let authority = uri.authority().map(|authority| authority.as_str());
    let field = headers.get(HOST).and_then(|value| value.to_str().ok());
    let host = authority.or(field).unwrap_or("");
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let without_port = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => name,
        _ => host,
    };
    without_port.to_ascii_lowercase()
}

/// Makes the host that the target names a field, as it is with HTTP/1 mostly. So routes, sessions
/// and servers find it there. If there was a field, the two say the same.
pub(crate) fn name_host(request: &mut Parts) {
    let asked = request.uri.authority();
    if let Some(Ok(asked)) = asked.map(|asked| HeaderValue::from_str(asked.as_str())) {
        request.headers.insert(HOST, asked);
    }
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
            let mut headers = HeaderMap::new();
            headers.insert(HOST, field.parse().unwrap());
            assert_eq!(host(&Uri::from_static("/"), &headers), expected);
        }
        let whole = Uri::from_static("http://Example.org:80/x");
        assert_eq!(host(&whole, &HeaderMap::new()), "example.org");
    }
}
