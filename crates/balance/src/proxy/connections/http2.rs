//! A connection with HTTP/2.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::rt::Executor;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, sleep, timeout};

use super::client_stream::ClientStream;
use super::front::Front;
use super::head::PREFACE;
use super::stream_progress::StreamProgress;
use crate::poison::unpoisoned;
use crate::proxy::client::{Client, Protocol};
use crate::proxy::proxy_service;

/// How long a client may take to confirm that it was told to end an idle connection. What it sent
/// before it knew is answered. Then it is told which request is the last, and the connection ends.
const FAREWELL: Duration = Duration::from_secs(1);

/// How many requests a client may have in flight on one connection.
const STREAMS: u32 = 128;

/// How many bytes of an answer hyper keeps for a client that does not read, besides those that it
/// has not yet taken from the server. Its own limit is 400 KiB, for each of 128 streams.
const BUFFER: usize = 64 << 10;

/// Serves a connection whose client has chosen HTTP/2 by TLS. The client has `client.header` to
/// begin with the preface, as for the first head of HTTP/1.
pub(super) async fn serve_agreed(mut stream: Box<ClientStream>, front: &Arc<Front>) {
    let preface = async {
        while stream.ahead().len() < PREFACE.len() {
            if !matches!(stream.read_ahead().await, Ok(1..)) {
                return false;
            }
        }
        true
    };
    let has_begun = tokio::select! {
        biased;
        has_begun = timeout(front.limits().header, preface) => has_begun.unwrap_or(false),
        () = front.draining().idle_is_over(Instant::now()) => false,
    };
    if has_begun {
        serve(stream, front).await;
    } else {
        stream.say_goodbye();
    }
}

/// Serves all requests of a connection. It ends after the client has been idle for too long, or
/// when the proxy stops: the client is told by GOAWAY, and what is in flight is answered.
pub(super) async fn serve(mut stream: Box<ClientStream>, front: &Arc<Front>) {
    stream.begin_http2();
    let limits = front.limits();
    let (address, encrypted) = (stream.client(), stream.is_encrypted());
    let forwarded_for = stream.forwarded_for().cloned();
    let certificate = stream.certificate().cloned();
    let streams = Streams::new(limits.write);
    let service = service_fn(|request| {
        let progress = streams.opened();
        let client = Client {
            address,
            forwarded_for: forwarded_for.clone(),
            encrypted,
            certificate: certificate.clone(),
            protocol: Protocol::Http2(progress),
        };
        proxy_service::serve(Arc::clone(front), client, request)
    });
    let mut builder = http2::Builder::new(streams.clone());
    builder
        .auto_date_header(false)
        .max_concurrent_streams(STREAMS)
        .max_send_buf_size(BUFFER)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = streams.idle_for(limits.idle) => {}
        () = front.draining().has_begun_now() => {}
    }
    connection.as_mut().graceful_shutdown();
    // It ends by itself when the client has confirmed and its requests are answered.
    tokio::select! {
        biased;
        _ = connection.as_mut() => {}
        () = silence(&streams, front) => {}
    }
}

/// Waits until a client that was told to end its connection has had the time to confirm that, and
/// is idle. A connection that was idle before is not closed for that: a request may be on its way.
async fn silence(streams: &Streams, front: &Front) {
    let since = Instant::now();
    sleep(FAREWELL).await;
    if front.draining().has_begun() {
        front.draining().idle_is_over(since).await;
    }
    streams.idle_for(FAREWELL).await;
}

/// The requests of one connection, and the executor that hyper runs them on.
#[derive(Clone)]
struct Streams(Arc<StreamsInner>);

struct StreamsInner {
    open: AtomicUsize,
    /// When a request last began or ended.
    active: Mutex<Instant>,
    /// The progress of the request that hyper is about to run.
    next: Mutex<Option<Arc<StreamProgress>>>,
    /// How long a client may take to accept the next part of an answer.
    write: Duration,
}

impl Streams {
    fn new(write: Duration) -> Self {
        Self(Arc::new(StreamsInner {
            open: AtomicUsize::new(0),
            active: Mutex::new(Instant::now()),
            next: Mutex::default(),
            write,
        }))
    }

    /// A request has come. hyper runs it next.
    fn opened(&self) -> Arc<StreamProgress> {
        let progress = Arc::<StreamProgress>::default();
        *unpoisoned(self.0.next.lock()) = Some(Arc::clone(&progress));
        progress
    }

    /// Waits until no request has been in flight for `time`.
    async fn idle_for(&self, time: Duration) {
        loop {
            let active = *unpoisoned(self.0.active.lock());
            let rest = time.saturating_sub(active.elapsed());
            let is_idle = self.0.open.load(Ordering::Relaxed) == 0;
            if is_idle && rest.is_zero() {
                return;
            }
            sleep(if is_idle { rest } else { time }).await;
        }
    }
}

impl<F> Executor<F> for Streams
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, request: F) {
        let Some(progress) = unpoisoned(self.0.next.lock()).take() else {
            tokio::spawn(request);
            return;
        };
        let open = OpenStream::new(Arc::clone(&self.0));
        tokio::spawn(async move {
            let limit = open.0.write;
            // Dropping the request resets its stream.
            tokio::select! {
                biased;
                () = request => {}
                () = progress.stalled(limit) => {}
            }
            drop(open);
        });
    }
}

/// A request in flight.
struct OpenStream(Arc<StreamsInner>);

impl OpenStream {
    fn new(streams: Arc<StreamsInner>) -> Self {
        streams.open.fetch_add(1, Ordering::Relaxed);
        Self(streams)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        *unpoisoned(self.0.active.lock()) = Instant::now();
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
