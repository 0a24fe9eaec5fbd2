//! The configuration of the proxy: what the file says, checked.
//!
//! Reading goes in two steps. `raw` is the file as it is typed. The other files turn it into types
//! that hold only what makes sense; each has a type and the function that makes it. Every error
//! names file, line and field and says what is allowed. docs/proxy.md is the reference for the
//! file.

mod address;
mod certificate_files;
mod client;
mod cookies;
mod duration;
mod group;
mod health;
mod listener;
mod listener_tls;
mod log_target;
mod mode;
mod network;
mod operators;
mod proxy_protocol;
mod queue;
mod raw;
mod request_ids;
mod route;
mod server;
mod socket_path;
mod source;
mod sticky;
#[cfg(test)]
mod tests;
mod timeouts;
#[cfg(test)]
mod tls_tests;
mod upgrade;
mod upstream_tls;
mod value;
mod warnings;

pub use address::Address;
pub use certificate_files::CertificateFiles;
pub use client::{ClientLimits, Forwarded};
pub use group::{GroupConfig, Protocol};
pub use health::{Failures, Health};
pub use listener::Listener;
pub use listener_tls::{ClientCertificates, ListenerTls};
pub use log_target::LogTarget;
pub use network::Network;
pub use operators::AdminToken;
pub use proxy_protocol::ProxyProtocol;
pub use queue::QueueLimits;
pub use request_ids::RequestIds;
pub(crate) use route::Asked;
pub use route::{Host, Route};
pub use server::ServerConfig;
pub use source::ConfigError;
pub use sticky::{HashOf, Sticky};
pub use timeouts::Timeouts;
pub use upstream_tls::UpstreamTls;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use source::Source;

use super::shown_path::shown;

/// The whole configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Worker threads; as many as there are cores if none.
    pub threads: Option<usize>,
    /// Whether the file is looked at every second and reloaded when it has changed.
    pub watch: bool,
    /// How long requests in flight may take to finish when the proxy stops.
    pub grace: Duration,
    /// How long idle connections stay open when the proxy stops.
    pub linger: Duration,
    /// The Unix socket at which a successor asks for the listening sockets.
    pub upgrade: Option<PathBuf>,
    /// Where the access log goes.
    pub access_log: LogTarget,
    /// Whether each request has an id.
    pub request_id: Option<RequestIds>,
    /// Where clients connect.
    pub listeners: Vec<Listener>,
    /// The address of the admin page, on loopback only.
    pub admin: Option<SocketAddr>,
    /// What operators must know to change anything through the admin page's address.
    pub admin_token: Option<AdminToken>,
    /// The address of the metrics alone.
    pub metrics: Option<SocketAddr>,
    /// Limits on clients.
    pub client: ClientLimits,
    /// The upstream groups.
    pub groups: Vec<GroupConfig>,
    /// Which request goes to which group.
    pub routes: Vec<Route>,
}

impl Config {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not TOML, or has a value that is not allowed.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let file = shown(path);
        let bytes = fs::read(path).map_err(|error| {
            ConfigError::about(format!("cannot read the configuration '{file}': {error}"))
        })?;
        let text = String::from_utf8(bytes).map_err(|error| source::not_utf8(&file, &error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&file, folder, &text)
    }

    /// What is not good, and no reason to refuse the configuration: certificates that have expired.
    /// Each is a line that names the field.
    pub fn warnings(&self) -> Vec<String> {
        warnings::warnings(self)
    }

    /// How many worker threads there are: as many as the file says, or the machine has cores.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores)
    }

    /// Checks the text of a file of this name; relative paths in it start from `folder`.
    ///
    /// # Errors
    ///
    /// If it is not TOML, or has a value that is not allowed.
    pub fn parse(file: &str, folder: &Path, text: &str) -> Result<Self, ConfigError> {
        let source = Source { file, text };
        let raw: raw::RawConfig = toml::from_str(text).map_err(|error| source.malformed(&error))?;
        let groups = group::groups(&source, folder, &raw.groups)?;
        let routes = route::routes(&source, raw.routes.as_ref(), &groups)?;
        cookies::refuse_shared(&source, raw.groups.get_ref(), &groups, &routes)?;
        let listeners = listener::listeners(&source, folder, &raw.listeners)?;
        let upgrade = upgrade::upgrade(&source, folder, raw.upgrade.as_ref(), &listeners)?;
        let admin = operators::admin(&source, raw.admin.as_ref())?;
        let metrics = operators::metrics(&source, raw.metrics.as_ref())?;
        let mut taken: Vec<_> = listeners.iter().filter_map(|it| it.address.ip()).collect();
        let at_admin = raw.admin.as_ref().map(|raw| &raw.address);
        operators::refuse_the_same(&source, "admin.address", at_admin, &taken)?;
        taken.extend(admin);
        let at_metrics = raw.metrics.as_ref().map(|raw| &raw.address);
        operators::refuse_the_same(&source, "metrics.address", at_metrics, &taken)?;
        let request_id = raw.request_id.as_ref();
        let request_id = request_id.map(|raw| request_ids::request_ids(&source, raw));
        Ok(Self {
            threads: value::whole(&source, "threads", raw.threads.as_ref(), 1..=1024)?,
            watch: raw.watch.unwrap_or(true),
            grace: duration::duration(
                &source,
                "grace",
                raw.grace.as_ref(),
                Duration::from_secs(30),
            )?,
            linger: duration::duration(
                &source,
                "linger",
                raw.linger.as_ref(),
                Duration::from_secs(2),
            )?,
            upgrade,
            access_log: log_target::log_target(&source, folder, raw.access_log.as_ref())?,
            request_id: request_id.transpose()?,
            listeners,
            admin,
            admin_token: operators::admin_token(&source, folder, raw.admin.as_ref())?,
            metrics,
            client: client::client(&source, &raw.client.unwrap_or_default())?,
            routes,
            groups,
        })
    }
}
