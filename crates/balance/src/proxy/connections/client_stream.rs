use std::fmt;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::{Buf as _, BytesMut};
use http::HeaderValue;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::lingering::{Lingering, Rest};
use super::open_connections::OpenConnection;
use super::request_end::RequestEnd;
use super::turn::Turn;
use crate::proxy::client_address::ClientAddress;
use crate::proxy::tls::ClientCertificate;
use crate::proxy::transport::Transport;
use crate::proxy::write_limit::WriteLimit;

/// How many bytes are read ahead at once.
const READ: usize = 4096;

/// For a client of HTTP/1 that has sent what is not read, such as a body that was refused.
const LAST_HTTP1: Rest = Rest {
    time: Duration::from_secs(1),
    bytes: u64::MAX,
};

/// For a client of HTTP/2. While it reads the last answers, it sends windows, of 13 bytes each. One
/// that floods the connection is cut off.
const LAST_HTTP2: Rest = Rest {
    time: Duration::from_secs(10),
    bytes: 1 << 20,
};

/// A client's connection as hyper sees it.
///
/// It passes on the bytes of one request at a time, and ends, for hyper, after the answer. It has
/// no buffer but for bytes that are on their way, so that an idle connection costs next to nothing.
pub(crate) struct ClientStream {
    transport: Lingering,
    limit: WriteLimit,
    /// What has been read and was not passed on yet.
    ahead: BytesMut,
    /// How many bytes of the current request's head were not passed on yet.
    head: usize,
    /// How much of what comes after the head belongs to the current request.
    end: RequestEnd,
    /// Whether hyper has asked for the next request.
    has_ended: bool,
    http2: bool,
    encrypted: bool,
    certificate: Option<Arc<ClientCertificate>>,
    client: ClientAddress,
    forwarded_for: Option<HeaderValue>,
    turn: Arc<Turn>,
}

impl ClientStream {
    /// The client has `write` to accept each part of an answer.
    pub(super) fn new(
        transport: Transport,
        client: ClientAddress,
        write: Duration,
        open: OpenConnection,
    ) -> Self {
        Self {
            encrypted: matches!(transport, Transport::Tls(_)),
            transport: Lingering::new(transport, open),
            limit: WriteLimit::new(write),
            ahead: BytesMut::new(),
            head: 0,
            end: RequestEnd::After(0),
            has_ended: false,
            http2: false,
            certificate: None,
            client,
            forwarded_for: client.forwarded_for(),
            turn: Arc::default(),
        }
    }

    /// The address of the client.
    pub(super) fn client(&self) -> ClientAddress {
        self.client
    }

    /// The address of the client as servers are told it.
    pub(super) fn forwarded_for(&self) -> Option<&HeaderValue> {
        self.forwarded_for.as_ref()
    }

    /// Whether the connection is encrypted.
    pub(super) fn is_encrypted(&self) -> bool {
        self.encrypted
    }

    /// Servers are told that the client has shown this certificate.
    pub(super) fn with_certificate(mut self, certificate: Option<ClientCertificate>) -> Self {
        self.certificate = certificate.map(Arc::new);
        self
    }

    /// The certificate that servers are told of.
    pub(super) fn certificate(&self) -> Option<&Arc<ClientCertificate>> {
        self.certificate.as_ref()
    }

    /// What is known about the current request.
    pub(super) fn turn(&self) -> &Arc<Turn> {
        &self.turn
    }

    /// What has been read and was not passed on yet.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.ahead
    }

    /// Drops the first bytes of what has been read.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.ahead.advance(bytes);
    }

    /// Reads more ahead. Returns how many bytes; 0 at the end of the connection.
    pub(super) async fn read_ahead(&mut self) -> io::Result<usize> {
        poll_fn(|cx| self.poll_read_ahead(cx)).await
    }

    /// The bytes are on the stack while the connection is polled. While it waits, there is no
    /// buffer.
    pub(super) fn poll_read_ahead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut bytes = [const { MaybeUninit::uninit() }; READ];
        let mut buf = ReadBuf::uninit(&mut bytes);
        ready!(self.transport.pin().poll_read(cx, &mut buf))?;
        self.ahead.extend_from_slice(buf.filled());
        Poll::Ready(Ok(buf.filled().len()))
    }

    /// Lets hyper read the request whose head is the first `head` bytes of what was read ahead.
    /// Returns whether it has one length at most, and none that is too large.
    #[must_use]
    pub(super) fn begin(&mut self, head: usize) -> bool {
        let Some((end, may_follow)) = RequestEnd::of(&self.ahead[..head]) else {
            return false;
        };
        self.end = end;
        self.head = head;
        self.has_ended = false;
        self.turn.begin(may_follow);
        true
    }

    /// Lets hyper read everything as HTTP/2.
    pub(super) fn begin_http2(&mut self) {
        self.http2 = true;
        self.end = RequestEnd::Open;
    }

    /// Whether the request has been answered and another may follow. Gives the buffer back then.
    ///
    /// hyper may have asked for more even of a connection that ends. If the request `is_over`,
    /// hyper need not have asked.
    pub(super) fn rest(&mut self, is_over: bool) -> bool {
        if self.ahead.is_empty() {
            self.ahead = BytesMut::new();
        }
        (self.has_ended || is_over) && !self.turn.is_last()
    }

    /// Tells the client that nothing more comes, as TLS demands before a connection is closed (RFC
    /// 8446, section 6.1), but does not wait for a client that does not read.
    pub(super) fn say_goodbye(&mut self) {
        if self.encrypted {
            let mut cx = Context::from_waker(Waker::noop());
            let _ = self.transport.pin().poll_shutdown(&mut cx);
        }
    }

    /// Whether hyper has got the whole request.
    fn is_read(&self) -> bool {
        self.head == 0 && self.end.is_reached()
    }

    /// Passes on what was read ahead and belongs to the current request.
    fn pass_on(&mut self, buf: &mut ReadBuf<'_>) {
        let most = self.ahead.len().min(buf.remaining());
        let of_head = self.head.min(most);
        let passed = of_head + self.end.take(&self.ahead[of_head..most]);
        self.head -= of_head;
        buf.put_slice(&self.ahead[..passed]);
        self.ahead.advance(passed);
    }

    /// Notes whether the client may still send, or has sent, what will not be read.
    fn note_unread(&mut self) {
        let done = self.is_read() && self.ahead.is_empty();
        self.transport.linger(if self.http2 {
            Some(LAST_HTTP2)
        } else {
            (!done).then_some(LAST_HTTP1)
        });
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.is_read() {
            // hyper looks for the next request, which it is not to see.
            if this.turn.is_answered() {
                this.has_ended = true;
                return Poll::Ready(Ok(()));
            }
            // The next request waits here. Until there is one, the only news can be the end.
            if this.ahead.is_empty() && ready!(this.poll_read_ahead(cx))? == 0 {
                return Poll::Ready(Ok(()));
            }
            return Poll::Pending;
        }
        let before = buf.filled().len();
        if !this.ahead.is_empty() {
            this.pass_on(buf);
        } else {
            ready!(this.transport.pin().poll_read(cx, buf))?;
            let passed = this.end.take(&buf.filled()[before..]);
            this.ahead
                .extend_from_slice(&buf.filled()[before + passed..]);
            buf.set_filled(before + passed);
        }
        if this.end.is_malformed() && buf.filled().len() == before {
            // What is malformed is not shown to hyper, which might find an end in it.
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = this.transport.pin().poll_write(cx, bytes);
        this.limit.on(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = this.transport.pin().poll_write_vectored(cx, parts);
        this.limit.on(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        !self.encrypted
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = this.transport.pin().poll_flush(cx);
        // hyper flushes when it has written everything.
        if flushed.is_ready() && this.is_read() {
            this.turn.written();
        }
        this.limit.on(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let shut = this.transport.pin().poll_shutdown(cx);
        this.limit.on(cx, shut)
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        self.note_unread();
        if self.http2 {
            // With HTTP/1 this could make an answer that was cut off look complete.
            self.say_goodbye();
        }
    }
}

impl fmt::Debug for ClientStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientStream").finish_non_exhaustive()
    }
}
