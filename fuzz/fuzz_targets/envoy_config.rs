//! The configurations that Envoy hands to the module: reading never panics.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = filch_envoy::config::Config::read(text);
    let _ = filch_envoy::queue_config::QueueConfig::read(text);
});
