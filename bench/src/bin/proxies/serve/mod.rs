//! The small proxies of child processes, each on one thread.

mod filch;
#[cfg(feature = "pingora")]
mod pingora;
mod served;
mod tower;

use std::convert::Infallible;
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};

use http::{Request, Response, StatusCode, Uri};
use http_body_util::{Empty, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

pub(crate) use served::{Peer, Served};

/// A client of the servers, on connections that are reused.
type HttpClient = Client<HttpConnector, Empty<Bytes>>;

/// A whole answer.
type Answer = Response<Full<Bytes>>;

/// Serves until standard input ends, as it does when the parent process ends.
pub(crate) fn run(served: &Served) -> Result<(), Box<dyn Error>> {
    std::thread::spawn(|| {
        // Any result means the end.
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    match served.peer {
        Some(peer @ (Peer::PingoraRoundRobin | Peer::PingoraRandom)) => pingora(served, peer),
        Some(Peer::Tower) | None => hyper(served),
    }
}

#[cfg(feature = "pingora")]
fn pingora(served: &Served, peer: Peer) -> Result<(), Box<dyn Error>> {
    pingora::run(served, peer)
}

#[cfg(not(feature = "pingora"))]
fn pingora(_: &Served, _: Peer) -> Result<(), Box<dyn Error>> {
    Err("this program was built without --features pingora".into())
}

/// filch or tower, on hyper.
fn hyper(served: &Served) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut listeners = Vec::new();
        for _ in 0..served.dispatchers {
            listeners.push(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?);
        }
        let entries: Result<Vec<SocketAddr>, io::Error> =
            listeners.iter().map(TcpListener::local_addr).collect();
        let entries: Vec<_> = entries?.iter().map(SocketAddr::to_string).collect();
        writeln!(io::stdout(), "{}", entries.join(","))?;
        io::stdout().flush()?;
        let mut accepting = tokio::task::JoinSet::new();
        for (number, listener) in listeners.into_iter().enumerate() {
            match served.policy {
                Some(policy) => {
                    let dispatcher = filch::FilchDispatcher::new(policy, served, number as u64)?;
                    accepting.spawn(accept(listener, move |path| {
                        dispatcher.clone().forward(path)
                    }));
                }
                None => {
                    let dispatcher = tower::TowerDispatcher::new(&served.servers);
                    accepting.spawn(accept(listener, move |path| {
                        dispatcher.clone().forward(path)
                    }));
                }
            }
        }
        while accepting.join_next().await.is_some() {}
        Ok(())
    })
}

/// Answers every request with what `forward` gets for its path, or 502.
async fn accept<F, A, E>(listener: TcpListener, forward: F)
where
    F: Fn(Uri) -> A + Clone + Send + 'static,
    A: Future<Output = Result<Answer, E>> + Send + 'static,
{
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            continue;
        };
        let forward = forward.clone();
        tokio::spawn(async move {
            // If it fails, small answers wait for acknowledgements.
            let _ = stream.set_nodelay(true);
            let service = service_fn(move |request: Request<Incoming>| {
                let answer = forward(request.into_parts().0.uri);
                async move {
                    Ok::<_, Infallible>(answer.await.unwrap_or_else(|_| {
                        let mut bad = Answer::default();
                        *bad.status_mut() = StatusCode::BAD_GATEWAY;
                        bad
                    }))
                }
            });
            // If a connection breaks, the client notices.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn http_client() -> HttpClient {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

/// The same path at one of the servers.
fn at(server: SocketAddr, path: &Uri) -> Uri {
    let path = path.path_and_query().map_or("/", |path| path.as_str());
    Uri::builder()
        .scheme("http")
        .authority(server.to_string())
        .path_and_query(path)
        .build()
        .expect("an address and a path")
}
