//! A tower service that balances: three servers of different speeds behind `Balance`.
//!
//! ```sh
//! cargo run --release -p filch-examples --example tower_service
//! ```
//!
//! The policy `idle-fastest(sed)` sends a request to the fastest idle server. Speeds are learned
//! from the answers. For servers that are reached over sockets see the example `axum` of
//! `filch-balance`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use filch_balance::{Balance, Options, Server};
use http::{Request, Response};
use tokio::sync::Mutex;
use tower::buffer::Buffer;
use tower::discover::ServiceList;
use tower::{BoxError, ServiceExt, service_fn};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let times = [40, 8, 4];
    // A server takes so many milliseconds for a request and serves one at a time.
    let servers = times.map(|millis| {
        let turn = Arc::new(Mutex::new(()));
        service_fn(move |_: Request<()>| {
            let turn = turn.clone();
            async move {
                let _turn = turn.lock().await;
                tokio::time::sleep(Duration::from_millis(millis)).await;
                Ok::<_, Infallible>(Response::new(String::new()))
            }
        })
    });
    let options = Options::of("idle-fastest(sed)".parse()?);
    // One request at a time: the others wait in front of the balancer, not in a server's queue.
    let configure = |server| Server::new(server).limit(1);
    let balance = Balance::with_servers(ServiceList::new(servers), options, configure);
    let balancer = balance.balancer().clone();

    // `Buffer` lets many tasks share the service.
    let balance = Buffer::new(balance, 64);
    let requests = (0..300).map(|_| tokio::spawn(balance.clone().oneshot(Request::new(()))));
    for request in requests.collect::<Vec<_>>() {
        request.await??;
    }
    for (millis, server) in times.iter().zip(balancer.state().servers) {
        println!("server of {millis:>2} ms: {:>3} requests", server.served);
    }
    Ok(())
}
