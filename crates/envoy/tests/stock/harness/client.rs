use std::error::Error;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// A client with a pool of connections.
#[derive(Clone, Debug)]
pub(crate) struct Client(legacy::Client<HttpConnector, Full<Bytes>>);

/// A whole answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
    pub(crate) trailers: Option<HeaderMap>,
}

type Failure = Box<dyn Error + Send + Sync>;

impl Client {
    pub(crate) fn http1() -> Self {
        Self(legacy::Client::builder(TokioExecutor::new()).build_http())
    }

    pub(crate) fn http2() -> Self {
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        Self(builder.http2_only(true).build_http())
    }

    pub(crate) async fn get(&self, to: SocketAddr, path: &str) -> Result<Answer, Failure> {
        let request = Request::get(format!("http://{to}{path}"));
        self.send(request.body(Full::default())?).await
    }

    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Result<Answer, Failure> {
        let (head, body) = self.0.request(request).await?.into_parts();
        let body = body.collect().await?;
        let trailers = body.trailers().cloned();
        Ok(Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: String::from_utf8(body.to_bytes().to_vec())?,
            trailers,
        })
    }
}
