//! Lines for Envoy's log.

use super::callbacks::found;
use super::constants::log_level;
use super::types::{Enum, ModuleBuffer};

/// Something that is not as it should be.
pub(crate) fn warn(message: &str) {
    write(log_level::WARN, message);
}

/// Something that did not work.
pub(crate) fn error(message: &str) {
    write(log_level::ERROR, message);
}

/// Without an Envoy, in a test or a benchmark, there is no log.
#[allow(unsafe_code)]
fn write(level: Enum, message: &str) {
    let line = format!("filch: {message}");
    if let Some(envoy) = found() {
        // SAFETY: `log` may be called on any thread and copies the message, which lives until
        // the call returns.
        unsafe { (envoy.log)(level, ModuleBuffer::of(&line)) };
    }
}
