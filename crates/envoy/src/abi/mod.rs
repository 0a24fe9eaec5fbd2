//! The ABI of Envoy's dynamic modules, as far as this module uses it.
//!
//! Written from the facts of `source/extensions/dynamic_modules/abi/abi.h` in Envoy 1.38.3, 1.39
//! and the development of 1.40. `tests/abi.rs` compares names, sizes and signatures with a list of
//! those facts, and with the header itself if it is given one.

#[allow(unsafe_code)]
pub mod callbacks;
pub(crate) mod clock;
pub mod constants;
pub mod guard;
pub(crate) mod log;
pub mod types;
pub mod version;
