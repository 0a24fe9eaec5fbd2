//! The real proxy on loopback, in front of real servers that behave badly.
//!
//! After each test no server may have a request in flight any more, which [`harness::Proxy::settled`]
//! waits for.

mod clients;
mod faults;
mod harness;
mod http2;
mod limits;
mod operators;
mod reload;
mod smuggling;
mod tokens;
