use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// How version 1 begins.
const TEXT: &[u8] = b"PROXY ";

/// The most bytes that a header of version 1 has, the end of its line included.
const LONGEST_TEXT: usize = 107;

/// How version 2 begins.
const BINARY: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// How many bytes of version 2 come before the addresses.
const BEFORE_ADDRESSES: usize = 16;

/// What the first bytes of a connection are by the PROXY protocol, versions 1 and 2.
///
/// A load balancer that passes on bytes says with such a header which client they are from. The
/// specification is `proxy-protocol.txt` of HAProxy. Every header is refused that two readers could
/// understand differently: what one takes for the end of the header decides what is a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyHeader {
    /// Nothing, or the beginning of a header, to which all of the bytes belong.
    Partial,
    /// A header of so many bytes.
    Whole {
        /// How many bytes it has.
        length: usize,
        /// The client that it names. None if it names none that has an IP address and speaks TCP:
        /// then the connection is from whoever has opened it.
        client: Option<SocketAddr>,
    },
    /// No header.
    Malformed,
}

impl ProxyHeader {
    /// Looks at the first bytes of a connection.
    pub fn read(bytes: &[u8]) -> Self {
        if begins_like(bytes, TEXT) {
            text(bytes)
        } else if begins_like(bytes, BINARY) {
            binary(bytes)
        } else {
            Self::Malformed
        }
    }
}

/// Whether the bytes begin with `start`, or may do so when there are more.
fn begins_like(bytes: &[u8], start: &[u8]) -> bool {
    let known = bytes.len().min(start.len());
    bytes[..known] == start[..known]
}

/// Version 1: a line.
fn text(bytes: &[u8]) -> ProxyHeader {
    let line = &bytes[..bytes.len().min(LONGEST_TEXT)];
    let Some(end) = line.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
        return if line.len() < LONGEST_TEXT {
            ProxyHeader::Partial
        } else {
            ProxyHeader::Malformed
        };
    };
    match &line[end..] {
        [b'\r'] if line.len() < LONGEST_TEXT => ProxyHeader::Partial,
        [b'\r', b'\n', ..] => match client_in_text(&line[..end]) {
            Some(client) => ProxyHeader::Whole {
                length: end + 2,
                client,
            },
            None => ProxyHeader::Malformed,
        },
        _ => ProxyHeader::Malformed,
    }
}

/// The client that a line names, if it names one. None if the line is malformed.
fn client_in_text(line: &[u8]) -> Option<Option<SocketAddr>> {
    let fields = line.strip_prefix(TEXT)?;
    // What follows this word means nothing.
    if fields == b"UNKNOWN" || fields.starts_with(b"UNKNOWN ") {
        return Some(None);
    }
    let mut fields = str::from_utf8(fields).ok()?.split(' ');
    let mut next = || fields.next();
    let (family, source, target) = (next()?, next()?, next()?);
    let (source_port, target_port) = (port(next()?)?, port(next()?)?);
    if next().is_some() {
        return None;
    }
    let address = |text: &str| -> Option<IpAddr> {
        match family {
            "TCP4" => text.parse::<Ipv4Addr>().ok().map(IpAddr::from),
            "TCP6" => text.parse::<Ipv6Addr>().ok().map(IpAddr::from),
            _ => None,
        }
    };
    let _ = (address(target)?, target_port);
    Some(Some(SocketAddr::new(address(source)?, source_port)))
}

/// A port, without a sign or zeros before it.
fn port(text: &str) -> Option<u16> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let has_zeros = text.len() > 1 && text.starts_with('0');
    text.parse().ok().filter(|_| is_plain && !has_zeros)
}

/// Version 2: bytes with a length.
fn binary(bytes: &[u8]) -> ProxyHeader {
    if bytes.get(12).is_some_and(|byte| byte >> 4 != 2) {
        return ProxyHeader::Malformed;
    }
    let Some(head) = bytes.first_chunk::<BEFORE_ADDRESSES>() else {
        return ProxyHeader::Partial;
    };
    let length = BEFORE_ADDRESSES + usize::from(u16::from_be_bytes([head[14], head[15]]));
    let Some(rest) = bytes.get(BEFORE_ADDRESSES..length) else {
        return ProxyHeader::Partial;
    };
    let client = match head[12] & 0xf {
        // LOCAL: the balancer speaks for itself, for example to check this server.
        0 => Some(None),
        1 => client_in_binary(head[13] >> 4, head[13] & 0xf, rest),
        _ => None,
    };
    match client {
        Some(client) => ProxyHeader::Whole { length, client },
        None => ProxyHeader::Malformed,
    }
}

/// The client that these bytes name for this family and this transport, if they name one. None if
/// they are malformed.
fn client_in_binary(family: u8, transport: u8, bytes: &[u8]) -> Option<Option<SocketAddr>> {
    const STREAM: u8 = 1;
    let (addresses, source) = match family {
        // Unspecified: the bytes mean nothing.
        0 => (0, None),
        1 => {
            let [a, b, c, d, _, _, _, _, high, low, _, _] = *bytes.first_chunk()?;
            let port = u16::from_be_bytes([high, low]);
            (12, Some(SocketAddr::from(([a, b, c, d], port))))
        }
        2 => {
            let address: [u8; 16] = *bytes.first_chunk()?;
            let port = u16::from_be_bytes([*bytes.get(32)?, *bytes.get(33)?]);
            (36, Some(SocketAddr::from((address, port))))
        }
        // Unix sockets, whose paths have 108 bytes each.
        3 => (216, None),
        _ => return None,
    };
    if transport > 2 || family != 0 && !are_fields(bytes.get(addresses..)?) {
        return None;
    }
    Some(source.filter(|_| transport == STREAM))
}

/// Whether the bytes are fields one after the other, each of a type, a length and a value.
fn are_fields(mut bytes: &[u8]) -> bool {
    while let [_, high, low, rest @ ..] = bytes {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let Some(after) = rest.get(length..) else {
            return false;
        };
        bytes = after;
    }
    bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of version 2 with this command, this family and transport, and these bytes.
    fn version_2(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).unwrap().to_be_bytes();
        [BINARY, &[0x20 | command, family], &length, rest].concat()
    }

    /// The addresses of a connection from 203.0.113.7, port 4660, over IPv4.
    const IPV4: [u8; 12] = [203, 0, 113, 7, 10, 0, 0, 1, 0x12, 0x34, 0, 80];

    /// What the bytes are, which is the same however they come.
    fn read(header: &[u8]) -> ProxyHeader {
        let found = ProxyHeader::read(header);
        if let ProxyHeader::Whole { length, .. } = found {
            assert_eq!(length, header.len());
            for known in 0..length {
                let part = ProxyHeader::read(&header[..known]);
                assert_eq!(part, ProxyHeader::Partial, "{known} of {header:?}");
            }
            let more = [header, b"GET / HTTP/1.1\r\n\r\n"].concat();
            assert_eq!(ProxyHeader::read(&more), found);
        }
        found
    }

    fn whole(header: &[u8], client: Option<&str>) {
        let expected = ProxyHeader::Whole {
            length: header.len(),
            client: client.map(|client| client.parse().unwrap()),
        };
        assert_eq!(read(header), expected, "{header:?}");
    }

    #[test]
    fn lines_name_clients() {
        let longest = format!("PROXY UNKNOWN {}\r\n", "f".repeat(91));
        assert_eq!(longest.len(), LONGEST_TEXT);
        for (line, client) in [
            (
                "PROXY TCP4 203.0.113.7 10.0.0.1 4660 80\r\n",
                Some("203.0.113.7:4660"),
            ),
            (
                "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n",
                Some("255.255.255.255:65535"),
            ),
            (
                "PROXY TCP6 2001:db8::7 ::1 4660 80\r\n",
                Some("[2001:db8::7]:4660"),
            ),
            (
                "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff \
                 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
                Some("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"),
            ),
            ("PROXY UNKNOWN\r\n", None),
            ("PROXY UNKNOWN 1.2.3.4 anything\r\n", None),
            (&longest, None),
        ] {
            whole(line.as_bytes(), client);
        }
    }

    #[test]
    fn malformed_lines_are_refused() {
        let long = format!("PROXY UNKNOWN {}\r\n", "f".repeat(92));
        for line in [
            "GET / HTTP/1.1\r\n",
            "proxy UNKNOWN\r\n",
            "PROXY  UNKNOWN\r\n",
            "PROXY UNKNOWN\n",
            "PROXY UNKNOWN\rx",
            "PROXY UNKNOWNS\r\n",
            "PROXY TCP4\r\n",
            "PROXY UDP4 1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2 \r\n",
            "PROXY TCP4  1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4 01.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3 5.6.7.8 1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.256 1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 +1 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 65536 2\r\n",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 65536\r\n",
            "PROXY TCP4 ::1 ::1 1 2\r\n",
            "PROXY TCP6 1.2.3.4 5.6.7.8 1 2\r\n",
            "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
            "PROXY TCP4 1.2.3.4\t5.6.7.8 1 2\r\n",
            &long,
        ] {
            assert_eq!(read(line.as_bytes()), ProxyHeader::Malformed, "{line:?}");
        }
    }

    #[test]
    fn bytes_name_clients() {
        let mut ipv6 = [0; 36];
        ipv6[..4].copy_from_slice(&[0x20, 1, 0xd, 0xb8]);
        ipv6[15] = 7;
        ipv6[32..34].copy_from_slice(&[0x12, 0x34]);
        let fields = [&IPV4[..], &[4, 0, 2, 9, 9, 0xee, 0, 0]].concat();
        let large = [&IPV4[..], &[0xe0, 0xfe, 0xf0], &[7; 0xfef0]].concat();
        for (header, client) in [
            (version_2(1, 0x11, &IPV4), Some("203.0.113.7:4660")),
            (version_2(1, 0x11, &fields), Some("203.0.113.7:4660")),
            (version_2(1, 0x11, &large), Some("203.0.113.7:4660")),
            (version_2(1, 0x21, &ipv6), Some("[2001:db8::7]:4660")),
            (version_2(1, 0x12, &IPV4), None),
            (version_2(1, 0x10, &IPV4), None),
            (version_2(1, 0x31, &[b'/'; 216]), None),
            (version_2(1, 0x00, &[]), None),
            (version_2(1, 0x00, &[1, 2, 3, 4]), None),
            (version_2(0, 0x00, &[]), None),
            (version_2(0, 0x11, &IPV4), None),
            (version_2(0, 0xff, &[1]), None),
        ] {
            whole(&header, client);
        }
    }

    #[test]
    fn malformed_bytes_are_refused() {
        let mut version_3 = version_2(1, 0x11, &IPV4);
        version_3[12] = 0x31;
        for header in [
            version_3,
            version_2(2, 0x11, &IPV4),
            version_2(1, 0x41, &IPV4),
            version_2(1, 0x13, &IPV4),
            version_2(1, 0x03, &[]),
            version_2(1, 0x11, &IPV4[..11]),
            version_2(1, 0x21, &[0; 35]),
            version_2(1, 0x31, &[0; 215]),
            // Fields that are cut off.
            version_2(1, 0x11, &[&IPV4[..], &[4]].concat()),
            version_2(1, 0x11, &[&IPV4[..], &[4, 0, 2, 9]].concat()),
            version_2(1, 0x31, &[&[0; 216][..], &[4, 0]].concat()),
        ] {
            assert_eq!(read(&header), ProxyHeader::Malformed, "{header:?}");
        }
    }

    proptest::proptest! {
        /// However a header is damaged, what it is does not depend on how its bytes come.
        #[test]
        fn damaged_headers_are_read_alike(which in 0usize..6, damage: [(u8, u8); 2]) {
            let lines = [&b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n\r\n"[..], b"PROXY UNKNOWN x\r\n"];
            let mut bytes = match which {
                0 | 1 => lines[which].to_vec(),
                2 => version_2(1, 0x11, &IPV4),
                3 => version_2(1, 0x11, &[&IPV4[..], &[4, 0, 2, 9, 9, 0xee, 0, 0]].concat()),
                4 => version_2(1, 0x21, &[7; 40]),
                _ => version_2(0, 0, &[1]),
            };
            for (at, byte) in damage {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            let found = ProxyHeader::read(&bytes);
            for known in 0..bytes.len() {
                let part = ProxyHeader::read(&bytes[..known]);
                proptest::prop_assert!(
                    part == ProxyHeader::Partial || part == found,
                    "{part:?} and {found:?}: {known} of {bytes:?}"
                );
            }
        }
    }

    /// What it is not is known as early as it can be.
    #[test]
    fn other_bytes_are_not_waited_for() {
        for bytes in [&b"G"[..], b"PR ", b"\r\nG", b"\r\n\r\nGET", b"\x16\x03"] {
            assert_eq!(ProxyHeader::read(bytes), ProxyHeader::Malformed);
        }
        let wrong = [BINARY, &[0x11]].concat();
        assert_eq!(ProxyHeader::read(&wrong), ProxyHeader::Malformed);
        assert_eq!(ProxyHeader::read(b""), ProxyHeader::Partial);
    }
}
