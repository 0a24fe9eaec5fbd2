//! The header by which a load balancer names a client: any bytes are read, a header is the same
//! header however its bytes come and whatever follows it, and what is malformed stays so.

#![no_main]

use filch_balance::proxy::ProxyHeader;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = ProxyHeader::read(bytes);
    let lengths = (0..bytes.len()).rev();
    for length in lengths.take(300) {
        let part = ProxyHeader::read(&bytes[..length]);
        match (part, whole) {
            (ProxyHeader::Partial, _) => {}
            (part, whole) => assert_eq!(part, whole, "{length} of {bytes:?}"),
        }
        if let ProxyHeader::Whole { length: end, .. } = part {
            assert!(end <= length, "{length} of {bytes:?}");
        }
    }
});
