//! The configuration of the proxy: reading never panics, and a refusal is one line.

#![no_main]

use std::path::Path;

use filch_balance::proxy::Config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(refused) = Config::parse("proxy.toml", Path::new("/nonexistent"), text) {
        let sentence = refused.to_string();
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
    }
});
