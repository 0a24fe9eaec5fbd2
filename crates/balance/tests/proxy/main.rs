//! The whole proxy on loopback, in front of servers that behave badly.
//!
//! Each test ends with no request in flight at any server: [`harness::Proxy::settled`] waits for
//! that.

mod answers;
mod attacks;
mod certificates_by_name;
mod client_certificates;
mod client_limits;
mod clients;
mod dashboard;
mod draining;
mod farewell;
mod faults;
mod harness;
mod http2;
mod limits;
mod operators;
mod passing_on;
mod proxy_protocol;
mod reload;
mod request_ids;
mod rewriting;
mod smuggling;
mod stalled;
mod sticky;
mod tls;
mod tokens;
mod unix_sockets;
