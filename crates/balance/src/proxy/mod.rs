//! The reverse proxy, on Pingora.
//!
//! Pingora speaks HTTP with both sides, pools connections, and takes each request through the
//! stages of [`ProxyHttp`](pingora_proxy::ProxyHttp). Which server a request goes to is decided
//! here, by the [`Balancer`](crate::Balancer) of its group. Pingora's own load balancing has no
//! hook for the end of a request, and is built again without memory when a server joins or leaves.
//! So that state is kept outside of Pingora.
//!
//! | file | what it holds |
//! |---|---|
//! | `config/` | the configuration: read, checked, with errors that name file, line and field |
//! | `running`, `sockets`, `services`, `upgrade`, `file_limit`, `start_error` | start and stop |
//! | `proxy_service`, `request_context` | the path of a request |
//! | `acquire`, `held_server` | how a request gets its server, and the lease that it holds |
//! | `stickiness` | sessions that stay at their servers |
//! | `failed_attempt`, `problem` | what may be sent again, and what the client is told |
//! | `connections/` | the connections of clients, from the listener to the request |
//! | `header_limits`, `header_rules`, `body_limit`, `host`, `forwarded` | headers of requests |
//! | `tls`, `certificate` | certificates and keys |
//! | `active_config`, `group`, `upstream` | a configuration in use |
//! | `proxy_state`, `group_state`, `server_health` | what outlives a reload |
//! | `health_checks`, `name_lookups` | active checks; addresses that change |
//! | `reloader` | a new configuration in place of the old one |
//! | `snapshot`, `metrics/`, `admin` | what operators see |
//! | `access_log`, `log_line`, `stderr_logger`, `time`, `shown_path` | logs and messages |
//!
//! docs/proxy.md says how to use it.

mod access_log;
mod acquire;
mod active_config;
mod admin;
mod body_limit;
mod certificate;
pub mod config;
mod connections;
mod failed_attempt;
mod file_limit;
mod forwarded;
mod group;
mod group_state;
mod header_limits;
mod header_rules;
mod health_checks;
mod held_server;
mod host;
mod log_line;
mod metrics;
mod name_lookups;
mod problem;
mod proxy_service;
mod proxy_state;
mod reloader;
mod request_context;
mod running;
mod server_health;
mod services;
mod shown_path;
mod snapshot;
mod sockets;
mod start_error;
mod stderr_logger;
mod stickiness;
mod time;
mod tls;
mod upgrade;
mod upstream;

pub use config::{Config, ConfigError};
pub use file_limit::raise_file_limit;
pub use running::Running;
pub use start_error::ProxyStartError;
pub use stderr_logger::log_to_stderr;
