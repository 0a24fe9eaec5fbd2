use std::net::SocketAddr;
use std::pin::Pin;

use filch_balance::{Balance, Options, Server};
use filch_policy::dispatch::Spec;
use filch_random::Seed;
use http::{Request, StatusCode, Uri, uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tower::buffer::Buffer;
use tower::discover::ServiceList;
use tower::{BoxError, Service, ServiceExt};

type Body = Empty<Bytes>;
type Response = http::Response<filch_balance::LeasedBody<Incoming, usize>>;
type BoxedSending = Pin<Box<dyn Future<Output = Result<Response, BoxError>> + Send>>;

/// A dispatcher: [`Balance`] over HTTP clients of the servers, shared by all requests.
#[derive(Clone)]
pub(super) struct DemoDispatcher(Buffer<Request<Body>, BoxedSending>);

/// So many requests may wait to be dispatched, which takes microseconds.
const BUFFER: usize = 1024;

impl DemoDispatcher {
    /// In front of `servers`, whose tokens it believes.
    pub(super) fn new(policy: Spec, seed: Seed, servers: &[SocketAddr]) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        let services = servers.iter().map(|&address| {
            let client = client.clone();
            tower::service_fn(move |request: Request<Body>| {
                client.request(directed(request, address))
            })
        });
        let options = Options {
            seed,
            ..Options::of(policy)
        };
        let balance = Balance::with_servers(
            ServiceList::new(services.collect::<Vec<_>>()),
            options,
            |server| Server::new(server).tokens(),
        );
        let balance = balance.map_future(|sending| Box::pin(sending) as BoxedSending);
        Self(Buffer::new(balance, BUFFER))
    }

    /// Sends one request and reads the whole answer.
    pub(super) async fn ask(mut self) -> Result<(), BoxError> {
        let request = Request::new(Body::new());
        let answer = self.0.ready().await?.call(request).await?;
        let status = answer.status();
        answer.into_body().collect().await?;
        match status {
            StatusCode::OK => Ok(()),
            _ => Err(format!("answered {status}").into()),
        }
    }
}

/// The request, addressed to a server.
fn directed(mut request: Request<Body>, server: SocketAddr) -> Request<Body> {
    let path = request.uri().path_and_query().cloned();
    let uri = Uri::builder()
        .scheme(uri::Scheme::HTTP)
        .authority(server.to_string())
        .path_and_query(path.unwrap_or_else(|| uri::PathAndQuery::from_static("/")))
        .build();
    *request.uri_mut() = uri.expect("an address is an authority");
    request
}
