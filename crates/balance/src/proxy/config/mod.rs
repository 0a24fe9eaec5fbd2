//! The configuration of the proxy: what can be said in the file, checked.
//!
//! Reading goes in two steps. `raw` is the file as it is typed; the other files turn it into
//! the types here, which hold only what makes sense. Every complaint names file, line and field and says
//! what is allowed. docs/proxy.md is the reference for whoever writes such a file.

mod duration;
mod front;
mod group;
mod raw;
mod route;
mod server;
mod source;
#[cfg(test)]
mod tests;
mod value;

pub use source::ConfigError;

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use filch_policy::dispatch::Spec;

use source::Source;

/// Everything that the proxy was told.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Worker threads; as many as there are cores if nothing was said.
    pub threads: Option<usize>,
    /// How long requests may take to finish once the proxy was told to stop.
    pub grace: Duration,
    /// Where a line for each request goes.
    pub access_log: AccessLog,
    /// Where clients connect.
    pub listeners: Vec<Listener>,
    /// The admin page, on loopback only.
    pub admin: Option<SocketAddr>,
    /// Where Prometheus asks.
    pub metrics: Option<SocketAddr>,
    /// What clients may do.
    pub client: Client,
    /// The upstream groups.
    pub groups: Vec<Group>,
    /// Which request goes to which group.
    pub routes: Vec<Route>,
}

/// Where the access log goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessLog {
    /// Nowhere.
    Off,
    /// Standard output.
    Stdout,
    /// The end of this file; it is opened anew on SIGHUP.
    File(PathBuf),
}

/// An address where clients connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// IP address and port.
    pub address: SocketAddr,
    /// HTTP/2: over TLS if the client asks for it, without TLS if it begins with it.
    pub http2: bool,
    /// Certificate and key, if connections are encrypted.
    pub tls: Option<ListenerTls>,
}

/// The files for TLS, in PEM format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerTls {
    /// The certificate, followed by those that lead to a root.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// What clients may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// The largest request header in bytes; beyond it the answer is 431.
    pub header_bytes: usize,
    /// The most header fields; beyond it the answer is 431.
    pub headers: usize,
    /// How long a connection may be idle between requests.
    pub idle: Duration,
    /// How long to wait for the next piece of a request's body.
    pub read: Duration,
    /// How long to wait until the client takes the next piece of the answer.
    pub write: Duration,
    /// What becomes of `x-forwarded-for`.
    pub forwarded: Forwarded,
}

/// What becomes of `x-forwarded-for`, which anybody can send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded {
    /// The address of the client takes its place: right where clients connect directly.
    Replace,
    /// The address of the client is added: right behind another proxy.
    Append,
}

/// Servers that do the same, behind one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: Arc<str>,
    /// Where a request goes.
    pub policy: Spec,
    /// Whether speeds are learned; otherwise the weights are the speeds.
    pub learned: bool,
    /// How often a request that can safely be sent again is.
    pub retries: usize,
    /// What is spoken with the servers.
    pub protocol: Protocol,
    /// TLS to the servers.
    pub tls: Option<UpstreamTls>,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// Who waits when all servers are at their limits.
    pub queue: Queue,
    /// Active health checks.
    pub health: Option<Health>,
    /// Passive ones.
    pub failures: Failures,
    /// The servers.
    pub servers: Vec<Server>,
}

/// What is spoken with servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP/1.1.
    Http1,
    /// HTTP/2.
    Http2,
}

/// TLS to servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamTls {
    /// The name that their certificates must have.
    pub name: String,
    /// The file with the certificates of those who may sign theirs; those of the system if there is none.
    pub ca: Option<PathBuf>,
    /// Whether certificates are verified.
    pub verify: bool,
}

/// How long to wait for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, handshakes included.
    pub connect: Duration,
    /// For the next piece of the answer.
    pub read: Duration,
    /// Until the server takes the next piece of the request.
    pub write: Duration,
    /// For the whole request from the moment it was read, with all attempts and the wait in the queue.
    pub total: Option<Duration>,
    /// How long an unused connection is kept.
    pub idle: Duration,
}

/// The waiting room of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// How many requests may wait.
    pub length: usize,
    /// How long one waits at most.
    pub wait: Duration,
    /// What `Retry-After` says to those who are turned away.
    pub retry_after: Duration,
}

/// How servers are asked whether they are well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The path to ask for; any status from 200 to 299 is good.
    pub path: String,
    /// The `Host` to send.
    pub host: String,
    /// How often.
    pub interval: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// So many good answers in a row bring a server back.
    pub healthy: u32,
    /// So many bad ones in a row take it out.
    pub unhealthy: u32,
}

/// When requests themselves show that a server is not well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failures {
    /// So many failures in a row take a server out; 0: never.
    pub consecutive: u32,
    /// For so long.
    pub pause: Duration,
}

/// A server of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// The address as it was written, which is its name.
    pub name: Arc<str>,
    /// Where that is.
    pub address: SocketAddr,
    /// Its speed in comparison to others.
    pub weight: Option<f64>,
    /// How many requests it may have at once.
    pub limit: Option<u32>,
    /// Whether its tokens are believed.
    pub tokens: bool,
}

/// Where requests of some host and path go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Which hosts.
    pub host: Host,
    /// The beginning of the path, up to the end of a segment.
    pub path: String,
    /// The place of the group in the list.
    pub group: usize,
}

/// Which hosts a route is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// All.
    Any,
    /// All that end in this, which begins with a dot.
    Below(String),
    /// This one.
    Exactly(String),
}

impl Config {
    /// Reads and checks a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is no TOML, or says what makes no sense.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let file = path.to_string_lossy().escape_debug().to_string();
        let text = fs::read_to_string(path).map_err(|error| {
            ConfigError::about(format!("cannot read the configuration '{file}': {error}"))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::understand(&file, folder, &text)
    }

    /// Checks the text of a file of this name; relative paths in it start from `folder`.
    ///
    /// # Errors
    ///
    /// If it is no TOML, or says what makes no sense.
    pub fn understand(file: &str, folder: &Path, text: &str) -> Result<Self, ConfigError> {
        let source = Source { file, text };
        let raw: raw::RawConfig = toml::from_str(text).map_err(|error| source.malformed(&error))?;
        let groups = group::groups(&source, folder, &raw.groups)?;
        let listeners = front::listeners(&source, folder, &raw.listeners)?;
        let admin = front::admin(&source, raw.admin.as_ref())?;
        let metrics = front::metrics(&source, raw.metrics.as_ref())?;
        let mut taken: Vec<_> = listeners.iter().map(|listener| listener.address).collect();
        front::refuse_the_same(&source, "admin.address", raw.admin.as_ref(), &taken)?;
        taken.extend(admin);
        front::refuse_the_same(&source, "metrics.address", raw.metrics.as_ref(), &taken)?;
        Ok(Self {
            threads: value::whole(&source, "threads", raw.threads.as_ref(), 1..=1024)?,
            grace: duration::duration(
                &source,
                "grace",
                raw.grace.as_ref(),
                Duration::from_secs(30),
            )?,
            access_log: front::access_log(&source, folder, raw.access_log.as_ref())?,
            listeners,
            admin,
            metrics,
            client: front::client(&source, &raw.client.unwrap_or_default())?,
            routes: route::routes(&source, raw.routes.as_ref(), &groups)?,
            groups,
        })
    }
}
