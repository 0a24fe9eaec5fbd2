//! The reverse proxy, on hyper.
//!
//! hyper speaks HTTP with both sides. Which server a request goes to is decided by the
//! [`Balancer`](crate::Balancer) of its group. What a connection waits for, how long, and what
//! happens if it waits in vain, is decided here.
//!
//! | file | what it holds |
//! |---|---|
//! | `config/` | the configuration: read, checked, with errors that name file, line and field |
//! | `running`, `workers`, `services`, `upgrade`, `file_limit`, `start_error` | start and stop |
//! | `sockets`, `listening`, `unix_socket`, `socket_lock` | the sockets at which clients and operators connect |
//! | `connections/`, `client`, `client_address` | the connections of clients, from the listener to the request |
//! | `proxy_header` | what a load balancer says about a connection, by the PROXY protocol |
//! | `proxy_service`, `request_context`, `after_others` | the path of a request |
//! | `acquire`, `held_server` | how a request gets its server, and the lease that it holds |
//! | `stickiness` | sessions that stay at their servers |
//! | `request_id`, `random_id` | by what a request is found in several logs |
//! | `request_head`, `hop_by_hop`, `host`, `forwarded`, `reserved_fields`, `answer_length` | headers |
//! | `header_limits`, `header_rules`, `host_rules` | headers that are refused |
//! | `request_body`, `answer_body`, `trailers`, `tunnel` | what is passed on |
//! | `servers/` | servers, and the connections to them |
//! | `failure`, `failed_attempt`, `problem` | what may be sent again, and what the client is told |
//! | `socket`, `transport`, `small_writes`, `write_limit`, `patience` | bytes and time, on both sides |
//! | `tls/` | certificates and keys, to clients and to servers |
//! | `active_config`, `group` | a configuration in use |
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
mod after_others;
mod answer_body;
mod answer_length;
mod client;
mod client_address;
pub mod config;
mod connections;
mod failed_attempt;
mod failure;
mod file_limit;
mod forwarded;
mod group;
mod group_state;
mod header_limits;
mod header_rules;
mod health_checks;
mod held_server;
mod hop_by_hop;
mod host;
mod host_rules;
mod listening;
mod log_line;
mod metrics;
mod name_lookups;
mod patience;
mod problem;
mod proxy_header;
mod proxy_service;
mod proxy_state;
mod random_id;
mod reloader;
mod request_body;
mod request_context;
mod request_head;
mod request_id;
mod reserved_fields;
mod running;
mod server_health;
mod servers;
mod services;
mod shown_path;
mod small_writes;
mod snapshot;
mod socket;
mod socket_lock;
mod sockets;
mod start_error;
mod stderr_logger;
mod stickiness;
mod time;
mod tls;
mod trailers;
mod transport;
mod tunnel;
mod unix_socket;
mod upgrade;
mod workers;
mod write_limit;

pub use config::{Config, ConfigError};
pub use file_limit::raise_file_limit;
pub use proxy_header::ProxyHeader;
pub use running::Running;
pub use start_error::ProxyStartError;
pub use stderr_logger::log_to_stderr;
