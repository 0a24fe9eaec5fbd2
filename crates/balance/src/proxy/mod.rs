//! The reverse proxy, on Pingora.
//!
//! Pingora speaks HTTP with both sides, keeps connections, and walks each request through the stages of
//! [`ProxyHttp`](pingora_proxy::ProxyHttp). Where a request goes is decided here, by the
//! [`Balancer`](crate::Balancer) of its group. Pingora's own balancing has no hook for the end of
//! a request and is made anew, knowing nothing, whenever a server joins or leaves; so the state is kept
//! outside of it.
//!
//! | file | what it holds |
//! |---|---|
//! | `config/` | the configuration: read, checked, with complaints that name file, line and field |
//! | `running`, `listen` | start, sockets, stop |
//! | `service`, `context` | the path of a request |
//! | `held`, `queue` | the server that a request holds, and the line for one |
//! | `retry`, `problem` | what may be sent again, and what the client is told |
//! | `forward`, `tls` | headers on their way; certificates |
//! | `table`, `groups`, `upstream` | a configuration at work; what outlives a reload |
//! | `standing`, `health` | whether a server is up |
//! | `reload` | a new configuration in place of the old one |
//! | `metrics/`, `view`, `admin`, `access`, `events`, `time` | what operators see |
//!
//! docs/proxy.md says how to use it.

mod access;
mod admin;
pub mod config;
mod context;
mod events;
mod forward;
mod groups;
mod health;
mod held;
mod listen;
mod metrics;
mod problem;
mod queue;
mod reload;
mod retry;
mod running;
mod service;
mod shared;
mod standing;
mod start_error;
mod table;
mod time;
mod tls;
mod upstream;
mod view;

pub use config::{Config, ConfigError};
pub use events::log_to_stderr;
pub use running::{Running, raise_file_limit};
pub use start_error::StartError;
