//! The address of a server, kept where it is compared.

/// So many bytes are kept without a pointer. An IPv6 address with a port has 47.
const SHORT: usize = 47;

/// An address. All but the longest, such as paths of sockets, are in the value itself, so that to
/// compare one reads no other memory.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Box<[u8]>),
}

impl Address {
    pub(crate) fn new(address: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..address.len()) {
            Some(place) => {
                place.copy_from_slice(address);
                let length = address.len() as u8;
                Self::Short { length, bytes }
            }
            None => Self::Long(address.into()),
        }
    }

    #[inline]
    pub(crate) fn is(&self, address: &[u8]) -> bool {
        match self {
            Self::Short { length, bytes } => bytes.get(..usize::from(*length)) == Some(address),
            Self::Long(bytes) => **bytes == *address,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_all_lengths_are_told_apart() {
        let text = "x".repeat(120);
        let bytes = text.as_bytes();
        for length in 0..100 {
            let address = Address::new(&bytes[..length]);
            assert!(address.is(&bytes[..length]), "{length}");
            assert!(!address.is(&bytes[..length + 1]), "{length}");
            assert_eq!(matches!(address, Address::Short { .. }), length <= SHORT);
        }
        assert!(!Address::new(b"10.0.0.1:80").is(b"10.0.0.2:80"));
    }
}
