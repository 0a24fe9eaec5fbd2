use std::error::Error;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;

use async_trait::async_trait;
use pingora_core::Result as Pingora;
use pingora_core::server::Server;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_load_balancing::LoadBalancer;
use pingora_load_balancing::selection::{BackendIter, BackendSelection, Random, RoundRobin};
use pingora_proxy::{ProxyHttp, Session, http_proxy_service};

use super::{Peer, Served};

/// Pingora with one of its own selections.
struct PingoraProxy<S: BackendSelection>(Arc<LoadBalancer<S>>);

#[async_trait]
impl<S> ProxyHttp for PingoraProxy<S>
where
    S: BackendSelection + Send + Sync + 'static,
    S::Iter: BackendIter,
{
    type CTX = ();

    fn new_ctx(&self) {}

    async fn upstream_peer(&self, _: &mut Session, (): &mut ()) -> Pingora<Box<HttpPeer>> {
        let server = self
            .0
            .select(b"", 256)
            .expect("servers that are not checked");
        Ok(Box::new(HttpPeer::new(server, false, String::new())))
    }
}

/// Serves for ever, on one thread, which is Pingora's default.
pub(super) fn run(served: &Served, peer: Peer) -> Result<(), Box<dyn Error>> {
    match peer {
        Peer::PingoraRandom => serve::<Random>(served),
        _ => serve::<RoundRobin>(served),
    }
}

fn serve<S>(served: &Served) -> Result<(), Box<dyn Error>>
where
    S: BackendSelection + Send + Sync + 'static,
    S::Iter: BackendIter,
{
    let balancer = LoadBalancer::<S>::try_from_iter(&served.servers)?;
    let mut server = Server::new(None)?;
    server.bootstrap();
    let mut service = http_proxy_service(&server.configuration, PingoraProxy(Arc::new(balancer)));
    // Pingora binds the port itself, so this finds one that is free at the moment.
    let entry = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
    service.add_tcp(&entry.to_string());
    server.add_service(service);
    writeln!(io::stdout(), "{entry}")?;
    io::stdout().flush()?;
    server.run_forever();
}
