use std::net::SocketAddr;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use pingora_core::protocols::tls::CaType;
use pingora_core::upstreams::peer::HttpPeer;

use super::config::{GroupConfig, Protocol, ServerConfig};
use super::group_state::ServerKey;
use super::server_health::ServerHealth;
use super::stickiness;
use crate::poison::unpoisoned;

/// How many requests share an HTTP/2 connection to a server.
const STREAMS: usize = 100;

/// A server as one configuration describes it, and how to connect to it.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) name: ServerKey,
    pub(crate) health: Arc<ServerHealth>,
    /// Whether it gets requests only while no other server is up.
    pub(crate) backup: bool,
    /// Whether it is known by a name, whose address may change.
    pub(crate) has_name: bool,
    /// What cookies call it.
    pub(crate) tag: u64,
    pub(crate) weight: f64,
    address: RwLock<SocketAddr>,
    peer: HttpPeer,
}

impl Upstream {
    pub(crate) fn new(
        group: &GroupConfig,
        server: &ServerConfig,
        authorities: Option<Arc<CaType>>,
        health: Arc<ServerHealth>,
    ) -> Self {
        let tls = group.tls.as_ref();
        let name = tls.map_or_else(String::new, |tls| tls.name.clone());
        let mut peer = HttpPeer::new(server.address, tls.is_some(), name);
        let options = &mut peer.options;
        options.connection_timeout = Some(group.timeouts.connect);
        options.total_connection_timeout = Some(group.timeouts.connect);
        options.read_timeout = Some(group.timeouts.read);
        options.write_timeout = Some(group.timeouts.write);
        options.idle_timeout = Some(group.timeouts.idle);
        options.ca = authorities;
        let verify = tls.is_none_or(|tls| tls.verify);
        options.verify_cert = verify;
        options.verify_hostname = verify;
        match group.protocol {
            Protocol::Http1 => options.set_http_version(1, 1),
            Protocol::Http2 => {
                options.set_http_version(2, 2);
                options.max_h2_streams = STREAMS;
            }
        }
        Self {
            name: Arc::clone(&server.name),
            health,
            backup: server.backup,
            has_name: server.has_name,
            tag: stickiness::tag(&server.name),
            weight: server.weight.unwrap_or(1.0),
            address: RwLock::new(server.address),
            peer,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        *unpoisoned(self.address.read())
    }

    /// The server is at another address now.
    pub(crate) fn move_to(&self, address: SocketAddr) {
        *unpoisoned(self.address.write()) = address;
    }

    /// How to connect for a request that must be answered by `deadline`.
    pub(crate) fn peer(&self, deadline: Option<Instant>) -> Box<HttpPeer> {
        let mut peer = Box::new(self.peer.clone());
        peer._address = self.address().into();
        if let Some(deadline) = deadline {
            // Pingora takes a time-out of 0 for none.
            let rest = deadline
                .saturating_duration_since(Instant::now())
                .max(Duration::from_millis(1));
            let options = &mut peer.options;
            for time in [
                &mut options.connection_timeout,
                &mut options.total_connection_timeout,
                &mut options.read_timeout,
                &mut options.write_timeout,
            ] {
                *time = time.map(|time| time.min(rest));
            }
        }
        peer
    }

    /// How to connect for a health check with this time-out.
    pub(crate) fn peer_for_check(&self, timeout: Duration) -> HttpPeer {
        let mut peer = self.peer.clone();
        let options = &mut peer.options;
        options.connection_timeout = Some(timeout);
        options.total_connection_timeout = Some(timeout);
        options.read_timeout = Some(timeout);
        options.write_timeout = Some(timeout);
        peer
    }
}
