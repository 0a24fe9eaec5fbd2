use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use http::{StatusCode, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// Asks dispatchers for answers over HTTP/1.1, on connections that are used again.
///
/// There are as many connections as requests are open at one time: an open loop never waits for one.
#[derive(Clone, Debug)]
pub struct WebClient {
    client: Client<HttpConnector, Empty<Bytes>>,
    entries: Arc<[Uri]>,
}

/// Why a request got no good answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The connection broke or could not be had.
    Broken,
    /// An answer came, but not 200.
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

    /// Asks dispatcher number `entry` and reads the whole answer.
    ///
    /// # Panics
    ///
    /// If there is no such dispatcher.
    pub fn get(&self, entry: usize) -> impl Future<Output = Result<(), Failed>> + Send + use<> {
        let answer = self.client.get(self.entries[entry].clone());
        async move {
            let answer = answer.await.map_err(|_| Failed::Broken)?;
            let status = answer.status();
            let body = answer.into_body().collect().await;
            body.map_err(|_| Failed::Broken)?;
            if status == StatusCode::OK {
                Ok(())
            } else {
                Err(Failed::Status(status))
            }
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken => f.write_str("the connection broke"),
            Self::Status(status) => write!(f, "answered {status}"),
        }
    }
}

impl std::error::Error for Failed {}
