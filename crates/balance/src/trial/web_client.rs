use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use http::{StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// Sends requests to dispatchers over HTTP/1.1, on connections that are reused.
///
/// A request never waits for a connection: there are as many as requests are open at once.
#[derive(Clone, Debug)]
pub struct WebClient {
    client: Client<HttpConnector, Empty<Bytes>>,
    entries: Arc<[Uri]>,
}

/// Why a request got no good answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// The connection broke or could not be opened.
    Broken,
    /// The answer had another status than 200.
    Status(StatusCode),
}

impl WebClient {
    /// A client of these dispatchers (or servers).
    pub fn to(entries: impl IntoIterator<Item = SocketAddr>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let uri = |address| {
            Uri::builder()
                .scheme("http")
                .authority(format!("{address}"))
                .path_and_query("/")
                .build()
                .expect("an address is an authority")
        };
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            entries: entries.into_iter().map(uri).collect(),
        }
    }

    /// Sends a request to dispatcher number `entry` and reads the whole answer.
    ///
    /// # Panics
    ///
    /// If there is no such dispatcher.
    pub fn get(
        &self,
        entry: usize,
    ) -> impl Future<Output = Result<(), ClientError>> + Send + use<> {
        let answer = self.client.get(self.entries[entry].clone());
        async move {
            let answer = answer.await.map_err(|_| ClientError::Broken)?;
            let status = answer.status();
            let body = answer.into_body().collect().await;
            body.map_err(|_| ClientError::Broken)?;
            if status == StatusCode::OK {
                Ok(())
            } else {
                Err(ClientError::Status(status))
            }
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken => f.write_str("the connection broke"),
            Self::Status(status) => write!(f, "answered {status}"),
        }
    }
}

impl std::error::Error for ClientError {}
