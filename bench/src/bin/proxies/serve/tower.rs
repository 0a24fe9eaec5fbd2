use std::net::SocketAddr;

use http::{Response, Uri};
use http_body_util::{BodyExt, Full};
use tower::balance::p2c::Balance;
use tower::buffer::Buffer;
use tower::discover::ServiceList;
use tower::load::{CompleteOnResponse, PendingRequests};
use tower::util::BoxService;
use tower::{BoxError, Service, ServiceExt, service_fn};

use super::{Answer, at, http_client};

/// tower's power of two choices over pending requests.
#[derive(Clone)]
pub(super) struct TowerDispatcher(
    Buffer<Uri, <BoxService<Uri, Answer, BoxError> as Service<Uri>>::Future>,
);

impl TowerDispatcher {
    pub(super) fn new(servers: &[SocketAddr]) -> Self {
        let client = http_client();
        let services: Vec<_> = servers
            .iter()
            .map(|&server| {
                let client = client.clone();
                let service = service_fn(move |path: Uri| {
                    let answer = client.get(at(server, &path));
                    async move {
                        let (parts, body) = answer.await?.into_parts();
                        let body = body.collect().await?.to_bytes();
                        let mut answer = Response::new(Full::new(body));
                        *answer.status_mut() = parts.status;
                        Ok::<_, BoxError>(answer)
                    }
                });
                PendingRequests::new(service, CompleteOnResponse::default())
            })
            .collect();
        let discover = ServiceList::new::<Uri>(services);
        let balance = Balance::new(discover);
        Self(Buffer::new(BoxService::new(balance), 4096))
    }

    pub(super) async fn forward(mut self, path: Uri) -> Result<Answer, BoxError> {
        self.0.ready().await?.call(path).await
    }
}
