use std::fmt;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use async_trait::async_trait;
use bytes::{Buf as _, BytesMut};
use pingora_core::protocols::raw_connect::ProxyDigest;
use pingora_core::protocols::tls::SslDigest;
use pingora_core::protocols::{
    ALPN, GetProxyDigest, GetSocketDigest, GetTimingDigest, Peek, Shutdown, SocketDigest, Ssl,
    TimingDigest, UniqueID,
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

use super::lingering::Lingering;
use super::open_connections::OpenConnection;
use super::request_end::RequestEnd;
use super::transport::Transport;

/// How many bytes are read ahead at once.
const READ: usize = 4096;

/// Parts of answers up to this size are joined before they are written.
const JOINED: usize = 8192;

/// A client's connection as Pingora sees it.
///
/// It passes on the bytes of one request at a time. It has no buffer but for bytes that are on
/// their way, so that an idle connection costs next to nothing.
pub(crate) struct ClientStream {
    transport: Lingering,
    /// What has been read and was not passed on yet.
    ahead: BytesMut,
    /// How many bytes of the current request's head were not passed on yet.
    head: usize,
    /// How much of what comes after the head belongs to the current request.
    end: RequestEnd,
    /// What is to be written.
    out: BytesMut,
    /// Whether `out` was there already when the stream was last read.
    out_waits: bool,
    http2: bool,
    socket: Arc<SocketDigest>,
    tls: Option<Arc<SslDigest>>,
}

impl ClientStream {
    pub(super) fn new(
        transport: Transport,
        socket: Arc<SocketDigest>,
        tls: Option<Arc<SslDigest>>,
        open: OpenConnection,
    ) -> Self {
        Self {
            transport: Lingering::new(transport, open),
            ahead: BytesMut::new(),
            head: 0,
            end: RequestEnd::After(0),
            out: BytesMut::new(),
            out_waits: false,
            http2: false,
            socket,
            tls,
        }
    }

    /// The address of the client.
    pub(super) fn client(&self) -> Option<SocketAddr> {
        self.socket.peer_addr()?.as_inet().copied()
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
    fn poll_read_ahead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut bytes = [const { MaybeUninit::uninit() }; READ];
        let mut buf = ReadBuf::uninit(&mut bytes);
        ready!(self.transport.pin().poll_read(cx, &mut buf))?;
        self.ahead.extend_from_slice(buf.filled());
        Poll::Ready(Ok(buf.filled().len()))
    }

    /// Lets Pingora read the request whose head is the first `head` bytes of what was read ahead.
    pub(super) fn begin(&mut self, head: usize) {
        self.end = RequestEnd::of(&self.ahead[..head]);
        self.head = head;
    }

    /// Lets Pingora read everything as HTTP/2.
    pub(super) fn begin_http2(&mut self) {
        self.http2 = true;
        self.end = RequestEnd::Open;
    }

    /// A request has ended and the connection stays: gives the buffers back.
    pub(super) fn rest(&mut self) {
        self.end = RequestEnd::After(0);
        self.out = BytesMut::new();
        if self.ahead.is_empty() {
            self.ahead = BytesMut::new();
        }
    }

    /// Writes what is to be written.
    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.out.is_empty() {
            let written = ready!(self.transport.pin().poll_write(cx, &self.out))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    /// Writes what Pingora has left in the buffer though it now waits for something else. It does
    /// so for parts of an answer with a length. The buffer is given one more round, in which the
    /// next part often comes.
    fn poll_out_that_waits(&mut self, cx: &mut Context<'_>) {
        if self.out.is_empty() {
            self.out_waits = false;
        } else if self.out_waits {
            // An error is met again by the next write.
            let _ = self.poll_out(cx);
        } else {
            self.out_waits = true;
            cx.waker().wake_by_ref();
        }
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

    /// Whether the client may still send, or has sent, what will not be read.
    fn note_unread(&mut self) {
        let done = self.head == 0 && self.end.is_reached() && self.ahead.is_empty();
        self.transport.linger(!done && !self.http2);
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let is_reached = this.head == 0 && this.end.is_reached();
        if !this.ahead.is_empty() && !is_reached {
            this.pass_on(buf);
            return Poll::Ready(Ok(()));
        }
        this.poll_out_that_waits(cx);
        if is_reached {
            // The next request waits here. Until there is one, the only news can be the end.
            if this.ahead.is_empty() && ready!(this.poll_read_ahead(cx))? == 0 {
                return Poll::Ready(Ok(()));
            }
            return Poll::Pending;
        }
        let before = buf.filled().len();
        ready!(this.transport.pin().poll_read(cx, buf))?;
        let passed = this.end.take(&buf.filled()[before..]);
        this.ahead
            .extend_from_slice(&buf.filled()[before + passed..]);
        buf.set_filled(before + passed);
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
        while !this.out.is_empty() && this.out.len() + bytes.len() > JOINED {
            let both = [IoSlice::new(&this.out), IoSlice::new(bytes)];
            let written = ready!(this.transport.pin().poll_write_vectored(cx, &both))?;
            if written == 0 {
                return Poll::Ready(Ok(0));
            }
            let of_out = written.min(this.out.len());
            this.out.advance(of_out);
            if written > of_out {
                return Poll::Ready(Ok(written - of_out));
            }
        }
        if bytes.len() > JOINED {
            return this.transport.pin().poll_write(cx, bytes);
        }
        this.out.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_out(cx))?;
        this.transport.pin().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_out(cx))?;
        this.transport.pin().poll_shutdown(cx)
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        self.note_unread();
    }
}

#[async_trait]
impl Shutdown for ClientStream {
    async fn shutdown(&mut self) {
        // If this fails, the client has left.
        let _ = AsyncWriteExt::shutdown(self).await;
    }
}

impl UniqueID for ClientStream {
    fn id(&self) -> i32 {
        self.transport.get().as_raw_fd()
    }
}

impl Ssl for ClientStream {
    fn get_ssl_digest(&self) -> Option<Arc<SslDigest>> {
        self.tls.clone()
    }

    /// Pingora takes the protocol from here, also if it was not negotiated.
    fn selected_alpn_proto(&self) -> Option<ALPN> {
        self.http2.then_some(ALPN::H2)
    }
}

impl GetTimingDigest for ClientStream {
    fn get_timing_digest(&self) -> Vec<Option<TimingDigest>> {
        Vec::new()
    }
}

impl GetProxyDigest for ClientStream {
    fn get_proxy_digest(&self) -> Option<Arc<ProxyDigest>> {
        None
    }
}

impl GetSocketDigest for ClientStream {
    fn get_socket_digest(&self) -> Option<Arc<SocketDigest>> {
        Some(Arc::clone(&self.socket))
    }
}

impl Peek for ClientStream {}

impl fmt::Debug for ClientStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientStream").finish_non_exhaustive()
    }
}
