use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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

use super::alarm::Alarm;
use super::queue::Queue;
use crate::{TOKEN_HEADER, Told};

/// A server on a loopback port that sleeps for the service time of each request, one at a time.
///
/// It speaks HTTP/1.1 with keep-alive and answers 200 with a short body to everything. A client that leaves does not
/// end the service of its request, as it would not in a server that computes. Dropping the server closes
/// its port and its connections.
#[derive(Debug)]
pub struct ToyServer {
    address: SocketAddr,
    queue: Arc<Mutex<Queue>>,
    accepting: JoinHandle<()>,
    /// Every connection holds the other end and stops when this one is gone.
    _open: tokio::sync::watch::Sender<()>,
}

impl ToyServer {
    /// Starts server number `index` of a trial, idle. It draws its times from the stream of that number. With `tokens`, a
    /// response says with [`TOKEN_HEADER`] whether it leaves it idle.
    ///
    /// # Errors
    ///
    /// If no loopback port can be had.
    pub async fn start(
        law: ServiceTime,
        seed: Seed,
        index: u64,
        tokens: bool,
        alarm: &Alarm,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let queue = Arc::new(Mutex::new(Queue::new(law, seed, index, Instant::now())));
        let desk = Desk {
            queue: Arc::clone(&queue),
            alarm: alarm.clone(),
            tokens,
        };
        let (open, closed) = tokio::sync::watch::channel(());
        let accepting = tokio::spawn(async move {
            loop {
                // Out of descriptors or the like: those who wait for a connection do so a little longer.
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                };
                let (desk, mut closed) = (desk.clone(), closed.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = desk.attend(stream) => {}
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
        lock(&self.queue).present()
    }
}

impl Drop for ToyServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What a connection needs to serve its requests.
#[derive(Clone, Debug)]
struct Desk {
    queue: Arc<Mutex<Queue>>,
    alarm: Alarm,
    tokens: bool,
}

impl Desk {
    async fn attend(self, stream: TcpStream) {
        // Without it, small answers would wait for acknowledgements; where it fails they do.
        let _ = stream.set_nodelay(true);
        let service = service_fn(|request| self.serve(request));
        // A connection that breaks is the client's affair.
        let _ = http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service)
            .await;
    }

    /// Puts a request into the queue. Whoever waits for it hears whether it left the server idle.
    fn enqueue(&self) -> oneshot::Receiver<bool> {
        let (leave, left) = oneshot::channel();
        let mut queue = lock(&self.queue);
        let departure = queue.arrive(Instant::now());
        // Asked for under the lock, so that requests that leave at one instant leave in order.
        self.alarm.call_at(departure, {
            let queue = Arc::clone(&self.queue);
            move || {
                let idle = lock(&queue).leave();
                // The client may have gone.
                let _ = leave.send(idle);
            }
        });
        left
    }

    async fn serve(&self, _: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let left = self.enqueue();
        let mut response = Response::new(Full::from("served\n"));
        match left.await {
            Ok(idle) if self.tokens => {
                let told = if idle { Told::Idle } else { Told::Busy };
                let value = told.value().map(HeaderValue::from_static);
                response
                    .headers_mut()
                    .extend(value.map(|value| (HeaderName::from_static(TOKEN_HEADER), value)));
            }
            Ok(_) => {}
            // Only if the call were lost, which the alarm does at its end.
            Err(_) => *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE,
        }
        Ok(response)
    }
}

/// Nothing panics while it holds the lock.
fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
