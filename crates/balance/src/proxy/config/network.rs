use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IP addresses that begin with the same bits, such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u32,
}

impl Network {
    /// Reads an address, or an address and the number of bits. The error says what to write.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let unreadable = || {
            format!(
                "'{}' is not a network: write one such as \"10.0.0.0/8\" or \"127.0.0.1\"",
                text.escape_debug()
            )
        };
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| unreadable())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let is_plain = |bits: &str| bits.bytes().all(|byte| byte.is_ascii_digit());
        let bits = match bits {
            None => Some(most),
            Some(bits) => bits.parse().ok().filter(|_| is_plain(bits)),
        };
        let bits = bits.filter(|bits| *bits <= most).ok_or_else(unreadable)?;
        let network = Self {
            first: first(address, bits),
            bits,
        };
        if network.first != address {
            return Err(format!(
                "'{text}' has more than {bits} bits: write \"{}/{bits}\"",
                network.first
            ));
        }
        Ok(network.plain())
    }

    /// The same addresses, as IPv4 if they are IPv4 over a socket of IPv6 (`::ffff:0:0/96`).
    fn plain(self) -> Self {
        match (self.first.to_canonical(), self.bits.checked_sub(96)) {
            (first @ IpAddr::V4(_), Some(bits)) if self.first.is_ipv6() => Self { first, bits },
            _ => self,
        }
    }

    /// Whether the address is one of them. IPv4 over a socket of IPv6 is IPv4.
    pub(crate) fn contains(self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.first.is_ipv4() && first(address, self.bits) == self.first
    }
}

/// The address with so many of its bits, and then zeros.
fn first(address: IpAddr, bits: u32) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
            Ipv4Addr::from_bits(address.to_bits() & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or(0);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_addresses() {
        for (network, address, expected) in [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.0", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "10.1.2.4", false),
            ("0.0.0.0/0", "255.255.255.255", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "::1", true),
            ("::/0", "1.2.3.4", false),
            ("fd00::/8", "fdff::1", true),
            ("fd00::/8", "fe00::1", false),
            ("::1", "::1", true),
            ("::ffff:10.1.2.3", "10.1.2.3", true),
            ("::ffff:10.1.2.3", "::ffff:10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "10.255.1.2", true),
            ("::ffff:10.0.0.0/104", "11.0.0.0", false),
            ("::ffff:0:0/96", "::ffff:1.2.3.4", true),
            ("::ffff:0:0/96", "::1", false),
        ] {
            let found = Network::parse(network).unwrap();
            let found = found.contains(address.parse().unwrap());
            assert_eq!(found, expected, "{network} {address}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "10",
            "10.0.0.0/",
            "10.0.0.0/33",
            "::/129",
            "10.0.0.0/+8",
            "a/8",
        ] {
            let problem = Network::parse(text).unwrap_err();
            assert!(problem.contains("is not a network"), "{problem}");
        }
        let expected = "'10.1.0.0/8' has more than 8 bits: write \"10.0.0.0/8\"";
        assert_eq!(Network::parse("10.1.0.0/8").unwrap_err(), expected);
    }
}
