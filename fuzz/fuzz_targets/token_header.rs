//! The header by which servers tell dispatchers that they are idle: any bytes are read, what is
//! written is read back, and of two numbers at most one is after the other.

#![no_main]

use filch_balance::Told;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut halves = bytes.splitn(2, |&byte| byte == b'\n');
    let [first, second] = [(); 2].map(|()| Told::read(halves.next()));
    for told in [first, second] {
        let value = told.value();
        assert_eq!(Told::read(value.as_deref().map(str::as_bytes)), told);
    }
    if let (Told::Numbered { number: a, .. }, Told::Numbered { number: b, .. }) = (first, second) {
        assert!(!(a.is_after(b) && b.is_after(a)), "{a:?} {b:?}");
    }
});
