use std::net::Ipv6Addr;

/// Whether this is a host and perhaps a port.
///
/// RFC 3986 allows more in a name: commas, stars, encoded bytes. No host is called so, and what
/// reads a list or a pattern in them would be fooled.
pub(crate) fn is_host(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    if let Some(rest) = text.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else {
            return false;
        };
        return address.parse::<Ipv6Addr>().is_ok()
            && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    match text.split_once(':') {
        Some((name, port)) => is_name(name) && is_port(port),
        None => is_name(text),
    }
}

/// Whether this is a name, or an address of IPv4: parts between dots, of which only one after the
/// last dot may be empty.
fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !part.is_empty() && part.bytes().all(is_good)
    };
    text.strip_suffix('.')
        .unwrap_or(text)
        .split('.')
        .all(is_part)
}

/// Whether this is the number of a port. It may be empty (RFC 3986, section 3.2.3).
fn is_port(text: &str) -> bool {
    // The number's own parser would take a sign.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok();
    text.is_empty() || is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_and_a_port() {
        for good in [
            "a",
            "A-1.example.org",
            "a_b",
            "a.example.",
            "a:",
            "a:0",
            "a:65535",
            "127.0.0.1:80",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(is_host(good.as_bytes()), "{good}");
        }
        for bad in [
            "", ".", "..", "a..b", ".a", "a,b", "*", "a b", "a/b", "u@a", "%61", "a:+80", "a:-1",
            "a:99999", "a:b", "a:1:2", ":80", "[zz]", "[::1", "[::1]x", "[::1]:x", "[]", "::1",
        ] {
            assert!(!is_host(bad.as_bytes()), "{bad}");
        }
        assert!(!is_host(b"\xff"));
    }
}
