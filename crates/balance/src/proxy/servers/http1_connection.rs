use std::fmt;
use std::future::{Future as _, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::task::unconstrained;

use super::NotAnswered;
use super::server_clock::{ServerClock, ServerWait};
use super::server_stream::ServerStream;
use crate::proxy::config::Address;
use crate::proxy::failure::Failure;
use crate::proxy::request_body::{RequestBody, RequestSource};

/// How many bytes each way hyper buffers at most. The head of an answer cannot have more.
const BUFFER: usize = 64 << 10;

/// A connection to a server with HTTP/1.
///
/// hyper's connection is a future, which is usually a task of its own. Here the task of the request
/// polls it, so that no request goes from one task to another and back.
pub(crate) struct Http1Connection {
    sender: SendRequest<RequestBody>,
    /// None if it has ended without taking the request that waits for it.
    connection: Option<Connection<TokioIo<ServerStream>, RequestBody>>,
    has_ended: bool,
    pub(crate) wait: ServerWait,
    address: Address,
    /// Whether it has had a request before.
    used: bool,
    idle_since: Instant,
}

impl Http1Connection {
    pub(crate) async fn new(stream: ServerStream, address: Address) -> Result<Self, Failure> {
        let mut builder = Builder::new();
        // The buffer may grow beyond its size while a head is read, so the head has a limit too.
        builder.max_buf_size(BUFFER).max_header_size(BUFFER);
        let handshake = builder.handshake(TokioIo::new(stream)).await;
        let (sender, connection) = handshake.map_err(|error| Failure::of_server(&error))?;
        Ok(Self {
            sender,
            connection: Some(connection),
            has_ended: false,
            wait: ServerWait::default(),
            address,
            used: false,
            idle_since: Instant::now(),
        })
    }

    /// The address of the server.
    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    pub(super) fn idle_since(&self) -> Instant {
        self.idle_since
    }

    /// Whether it has had a request before the current one.
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// Reads and writes what can be read and written now.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) {
        if let (false, Some(connection)) = (self.has_ended, &mut self.connection) {
            // An error goes to the request that waits for an answer.
            self.has_ended = Pin::new(connection).poll(cx).is_ready();
        }
    }

    /// Whether the connection can have another request. Its last answer has ended now.
    pub(super) fn can_be_kept(&mut self, now: Instant) -> bool {
        if !self.has_ended && !self.sender.is_ready() {
            self.drive(&mut Context::from_waker(Waker::noop()));
        }
        self.used = true;
        self.wait.end();
        self.idle_since = now;
        !self.has_ended && self.sender.is_ready()
    }

    /// Whether the connection waits for its next request, and the server has not closed it.
    pub(super) fn is_alive(&mut self) -> bool {
        self.drive(&mut Context::from_waker(Waker::noop()));
        !self.has_ended
    }

    /// Sends a request and waits for the head of the answer. `source` is where its body comes from.
    pub(crate) async fn send(
        &mut self,
        request: Request<RequestBody>,
        source: &RequestSource,
        clock: ServerClock,
    ) -> Result<Response<Incoming>, NotAnswered> {
        self.wait.begin(clock);
        // Nothing but the connection, which is polled here, makes it ready. So it needs no waker,
        // which would make the task run once more for nothing, and no share of the task's budget.
        let mut answer = pin!(unconstrained(self.sender.try_send_request(request)));
        let mut is_sent = false;
        let answer = poll_fn(|cx| {
            let mut silent = Context::from_waker(Waker::noop());
            // Usually the answer has come, and all of it. Then the task waits for nothing more on
            // this connection, and must not be woken by what hyper passes on within it.
            if std::mem::replace(&mut is_sent, true) {
                self.drive(&mut silent);
                if let Poll::Ready(answer) = answer.as_mut().poll(&mut silent) {
                    return Poll::Ready(Some(answer));
                }
            }
            self.drive(cx);
            if let Poll::Ready(answer) = answer.as_mut().poll(&mut silent) {
                return Poll::Ready(Some(answer));
            }
            if self.has_ended && self.connection.take().is_some() {
                // It has not taken the request, which comes back now.
                return answer.as_mut().poll(&mut silent).map(Some);
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

    /// The connection after the server has switched protocols, and what has been read from it.
    pub(crate) fn into_stream(self) -> Option<(ServerStream, Bytes)> {
        let parts = self.connection?.into_parts();
        Some((parts.io.into_inner(), parts.read_buf))
    }
}

impl fmt::Debug for Http1Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http1Connection")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
