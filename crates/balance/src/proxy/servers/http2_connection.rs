use std::fmt;
use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::NotAnswered;
use super::server_clock::{ServerClock, ServerWait};
use super::server_stream::ServerStream;
use crate::proxy::config::Address;
use crate::proxy::failure::Failure;
use crate::proxy::request_body::{RequestBody, RequestSource};

/// How many requests share a connection.
const STREAMS: usize = 100;

/// How many bytes of an answer a server may send ahead of its client.
///
/// A client that does not read keeps as much of the connection's window occupied. The connection
/// has room for all of its streams, or few such clients would stop the answers to all others.
const STREAM_WINDOW: u32 = 256 << 10;

/// How many bytes of a request's body hyper keeps for a server that does not read.
const BUFFER: usize = 64 << 10;

/// How large the header of an answer may be, as for HTTP/1.
const MOST_HEADER: u32 = 400 * 1024;

/// A connection to a server with HTTP/2, which a task of its own drives.
pub(super) struct Http2Connection {
    sender: SendRequest<RequestBody>,
    address: Address,
    /// One for each request on it, and this one.
    requests: Arc<()>,
    idle_since: Instant,
}

impl Http2Connection {
    pub(super) async fn new(stream: ServerStream, address: Address) -> Result<Self, Failure> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .max_header_list_size(MOST_HEADER)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(STREAM_WINDOW * STREAMS as u32)
            .max_send_buf_size(BUFFER);
        let handshake = builder.handshake(TokioIo::new(stream)).await;
        let (sender, connection) = handshake.map_err(|error| Failure::of_server(&error))?;
        // It ends when the last sender is dropped, or with an error that all requests get.
        tokio::spawn(connection);
        Ok(Self {
            sender,
            address,
            requests: Arc::new(()),
            idle_since: Instant::now(),
        })
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Since when it has had no request; none if it has one.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        (Arc::strong_count(&self.requests) == 1).then_some(self.idle_since)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// A place for one more request, if there is one.
    pub(super) fn stream(&mut self) -> Option<Http2Stream> {
        let free = Arc::strong_count(&self.requests) <= STREAMS && self.sender.is_ready();
        free.then(|| {
            self.idle_since = Instant::now();
            Http2Stream {
                sender: self.sender.clone(),
                wait: ServerWait::default(),
                _request: Arc::clone(&self.requests),
            }
        })
    }
}

/// The place of one request on a connection with HTTP/2.
pub(crate) struct Http2Stream {
    sender: SendRequest<RequestBody>,
    pub(crate) wait: ServerWait,
    _request: Arc<()>,
}

impl Http2Stream {
    /// Sends a request and waits for the head of the answer. `source` is where its body comes from.
    pub(crate) async fn send(
        &mut self,
        request: Request<RequestBody>,
        source: &RequestSource,
        clock: ServerClock,
    ) -> Result<Response<Incoming>, NotAnswered> {
        let mut answer = pin!(self.sender.try_send_request(request));
        let answer = poll_fn(|cx| {
            if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
                return Poll::Ready(Some(answer));
            }
            self.wait.poll_late(cx, clock, source).map(|()| None)
        });
        match answer.await {
            Some(Ok(answer)) => {
                self.wait.end();
                Ok(answer)
            }
            Some(Err(mut error)) => Err(match error.take_message() {
                Some(request) => NotAnswered::Unsent(Box::new(request)),
                None => NotAnswered::Failed(Failure::of_server(error.error())),
            }),
            None => Err(NotAnswered::Failed(Failure::ServerTimedOut)),
        }
    }
}

impl fmt::Debug for Http2Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http2Stream").finish_non_exhaustive()
    }
}
