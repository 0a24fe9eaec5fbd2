use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use filch_random::Seed;
use filch_workload::ServiceTime;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::ToyKind;
use super::alarm::Alarm;
use super::service_queue::ServiceQueue;
use crate::poison::unpoisoned;
use crate::{TOKEN_HEADER, Told};

/// A server on a loopback port that sleeps for the service time of each request, one at a time or
/// as its [`ToyKind`] says.
///
/// It speaks HTTP/1.1 with keep-alive and answers every request with 200 and a short body, unless
/// it is of a kind that fails. A client that leaves does not end the service of its request, as in
/// a server that computes. Dropping the server closes its port and its connections.
#[derive(Debug)]
pub struct ToyServer {
    address: SocketAddr,
    queue: Arc<Mutex<ServiceQueue>>,
    accepting: JoinHandle<()>,
    /// Each connection holds the other end, and stops when this end is dropped.
    _open: tokio::sync::watch::Sender<()>,
}

impl ToyServer {
    /// Starts server number `index` of a trial, idle. It draws its service times from the stream of
    /// that number. With `tokens`, each answer says by [`TOKEN_HEADER`] whether it leaves the
    /// server idle.
    ///
    /// # Errors
    ///
    /// If no loopback port can be opened.
    pub async fn start(
        law: ServiceTime,
        seed: Seed,
        index: u64,
        tokens: bool,
        alarm: &Alarm,
    ) -> io::Result<Self> {
        Self::start_kind(law.into(), seed, index, tokens, alarm).await
    }

    /// [`start`](Self::start) for a server of any kind.
    ///
    /// # Errors
    ///
    /// If no loopback port can be opened.
    pub async fn start_kind(
        kind: ToyKind,
        seed: Seed,
        index: u64,
        tokens: bool,
        alarm: &Alarm,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let queue = Arc::new(Mutex::new(ServiceQueue::new(
            kind,
            seed,
            index,
            Instant::now(),
        )));
        let connections = Connections {
            queue: Arc::clone(&queue),
            alarm: alarm.clone(),
            tokens,
            fails: kind.fails_after.is_some(),
        };
        let (open, closed) = tokio::sync::watch::channel(());
        let accepting = tokio::spawn(async move {
            loop {
                // Out of descriptors or the like: connections wait a little longer.
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                };
                let (connections, mut closed) = (connections.clone(), closed.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = connections.attend(stream) => {}
                        _ = closed.changed() => {}
                    }
                });
            }
        });
        Ok(Self {
            address,
            queue,
            accepting,
            _open: open,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Requests at the server, in service or waiting.
    pub fn present(&self) -> usize {
        unpoisoned(self.queue.lock()).present()
    }
}

impl Drop for ToyServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What the connections share to serve their requests.
#[derive(Clone, Debug)]
struct Connections {
    queue: Arc<Mutex<ServiceQueue>>,
    alarm: Alarm,
    tokens: bool,
    fails: bool,
}

impl Connections {
    async fn attend(self, stream: TcpStream) {
        // If it fails, small answers wait for acknowledgements.
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| self.serve(request));
        // If a connection breaks, the client notices.
        let _ = http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }

    /// Puts a request into the queue. The receiver gets, when the request leaves, what its
    /// answer says of the server.
    fn enqueue(&self) -> oneshot::Receiver<Told> {
        let (leave, has_left) = oneshot::channel();
        let mut queue = unpoisoned(self.queue.lock());
        let departure = queue.arrive(Instant::now());
        // Under the lock, so that requests that leave at one instant leave in order.
        self.alarm.call_at(departure, {
            let queue = Arc::clone(&self.queue);
            move || {
                let told = unpoisoned(queue.lock()).leave();
                // The client may have left.
                let _ = leave.send(told);
            }
        });
        has_left
    }

    async fn serve(&self, _: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let has_left = self.enqueue();
        let mut response = Response::new(Full::from("served\n"));
        if self.fails {
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        }
        match has_left.await {
            Ok(told) if self.tokens => {
                let value = told.value();
                let value = value.and_then(|value| HeaderValue::from_str(&value).ok());
                response
                    .headers_mut()
                    .extend(value.map(|value| (HeaderName::from_static(TOKEN_HEADER), value)));
            }
            Ok(_) => {}
            // The call was dropped, which the alarm does only at its end.
            Err(_) => *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE,
        }
        Ok(response)
    }
}
