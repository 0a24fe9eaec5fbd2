//! Three axum servers of different speeds and a balancer in front of them:
//!
//! ```sh
//! cargo run --release -p filch-balance --example axum
//! ```
//!
//! Each server serves one request at a time and says by [`TokenLayer`] when it is idle. The
//! balancer is an axum server too. A hundred clients send it ten requests each, with pauses. At the
//! end the program prints how many requests each server has answered.

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use axum::response::IntoResponse;
use filch_balance::{Balance, Options, Server, TokenLayer};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tower::buffer::Buffer;
use tower::discover::ServiceList;
use tower::{BoxError, ServiceExt, service_fn};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let names = ["slow, 40 ms", "middle, 8 ms", "fast, 4 ms"];
    let mut servers = Vec::new();
    for (name, millis) in names.into_iter().zip([40, 8, 4]) {
        servers.push(serve(app(name, Duration::from_millis(millis))).await?);
    }

    // The balancer. `Buffer` lets all requests share it; each server is an HTTP client with an
    // address.
    let client = Client::builder(TokioExecutor::new()).build_http();
    let services = servers.iter().map(|&address| {
        let client = client.clone();
        service_fn(move |request| client.request(directed(request, address)))
    });
    let balance = Balance::with_servers(
        ServiceList::new(services.collect::<Vec<_>>()),
        Options::default(), // considerate, with speeds learned from the answers
        |server| Server::new(server).tokens(),
    );
    let balancer = balance.balancer().clone();
    let balance = Buffer::new(balance, 1024);
    let front = Router::new().fallback(async move |request: Request<Body>| {
        match balance.oneshot(request).await {
            Ok(answer) => answer.map(Body::new),
            Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
        }
    });
    let front = serve(front).await?;

    let started = Instant::now();
    let clients: Vec<_> = (0..100)
        .map(|number| tokio::spawn(send_ten(front, number)))
        .collect();
    for client in clients {
        client.await??;
    }
    println!("1000 answers in {:.1} s", started.elapsed().as_secs_f64());
    for (name, server) in names.iter().zip(balancer.state().servers) {
        println!(
            "{name:<14} {:>4} requests, learned speed {:>4.0} a second",
            server.served, server.speed
        );
    }
    Ok(())
}

/// A server that takes `time` for each request, one at a time.
fn app(name: &'static str, time: Duration) -> Router {
    let busy = Arc::new(Mutex::new(()));
    let answer = async move || {
        let _turn = busy.lock().await;
        tokio::time::sleep(time).await;
        name
    };
    Router::new().fallback(answer).layer(TokenLayer::new())
}

/// Serves `app` on a free port of this machine.
async fn serve(app: Router) -> Result<SocketAddr, BoxError> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

fn directed(mut request: Request<Body>, server: SocketAddr) -> Request<Body> {
    let path = request.uri().path().to_owned();
    *request.uri_mut() = format!("http://{server}{path}")
        .parse()
        .expect("a valid address");
    request
}

/// Ten requests, one after the other.
async fn send_ten(front: SocketAddr, number: u64) -> Result<(), BoxError> {
    let client: Client<HttpConnector, Body> = Client::builder(TokioExecutor::new()).build_http();
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_millis(200 + 7 * (number % 30))).await;
        let answer = client.get(format!("http://{front}/").parse()?).await?;
        if !answer.status().is_success() {
            return Err(format!("answered {}", answer.status()).into());
        }
        answer.into_body().collect().await?;
    }
    Ok(())
}
