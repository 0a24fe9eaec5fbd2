//! A connection with HTTP/1.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use http::StatusCode;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt as _;
use tokio::time::Instant;

use super::client_stream::ClientStream;
use super::front::Front;
use super::http2;
use super::next_request::{Next, Wait, next_request};
use crate::proxy::client::{Client, Protocol};
use crate::proxy::patience::Patience;
use crate::proxy::proxy_service;

/// How many fields hyper reads without an allocation, unless it is told that there are more.
const USUAL_FIELDS: usize = 100;

/// How many bytes hyper buffers before it waits, each way, unless the head has more. A client that
/// does not read its answer costs about three times as much, the buffer of its server included.
const BUFFER: usize = 64 << 10;

/// Serves the requests of a connection one after the other. `http2`: the first bytes may begin
/// HTTP/2 instead.
pub(super) async fn serve(mut stream: Box<ClientStream>, front: &Arc<Front>, http2: bool) {
    let mut new = true;
    let mut patience = Patience::default();
    let mut stopping = pin!(front.draining().idle_is_over(Instant::now()));
    loop {
        let wait = Wait {
            patience: &mut patience,
            stopping: stopping.as_mut(),
            new,
            http2: new && http2,
        };
        let (head, fields) = match next_request(&mut stream, front, wait).await {
            Next::Request(head, fields) => {
                if !stream.begin(head) {
                    return refuse(&mut stream, front, StatusCode::BAD_REQUEST).await;
                }
                (head, fields)
            }
            // What is large and rare is on the heap: it does not make every connection larger.
            Next::Http2 => return Box::pin(http2::serve(stream, front)).await,
            Next::Nothing => return stream.say_goodbye(),
            Next::Refused(status) => return refuse(&mut stream, front, status).await,
        };
        new = false;
        let Some(back) = request(stream, front, head, fields).await else {
            return;
        };
        stream = back;
        if front.draining().has_begun() {
            // The answer did not say that it is the last one, so the client may send a request.
            stopping.set(front.draining().idle_is_over(Instant::now()));
        }
    }
}

/// Serves one request, whose head has so many bytes and fields. Returns the connection if there may
/// be another.
///
/// hyper's state of a connection lasts for one request, so that none is kept while the connection
/// waits for the next.
async fn request(
    stream: Box<ClientStream>,
    front: &Arc<Front>,
    head: usize,
    fields: usize,
) -> Option<Box<ClientStream>> {
    let turn = Arc::clone(stream.turn());
    let client = Client {
        address: stream.client(),
        forwarded_for: stream.forwarded_for().cloned(),
        encrypted: stream.is_encrypted(),
        certificate: stream.certificate().cloned(),
        protocol: Protocol::Http1(Arc::clone(&turn)),
    };
    let service = service_fn(|request| {
        // On the heap it stays where it is, while hyper's connection moves.
        Box::pin(proxy_service::serve(
            Arc::clone(front),
            client.clone(),
            request,
        ))
    });
    let mut builder = http1::Builder::new();
    // The head has been read: its time and its size are within the limits.
    builder.header_read_timeout(None).auto_date_header(false);
    builder.max_buf_size(head.max(BUFFER));
    if fields > USUAL_FIELDS {
        builder.max_headers(fields);
    }
    let mut connection = builder.serve_connection(TokioIo::new(stream), service);
    let polled = poll_fn(|cx| match connection.poll_without_shutdown(cx) {
        // hyper waits for the next request, which it would only see when it is polled once more.
        Poll::Pending if turn.is_over() => Poll::Ready(Ok(true)),
        polled => polled.map_ok(|()| false),
    });
    let is_over = polled.await.ok()?;
    let parts = connection.into_parts();
    let mut stream = parts.io.into_inner();
    if let Some(tunnel) = turn.take_tunnel() {
        Box::pin(tunnel.run(stream, parts.read_buf)).await;
        return None;
    }
    if stream.rest(is_over) {
        return Some(stream);
    }
    let _ = stream.shutdown().await;
    None
}

/// Answers a head that is refused before it is a request.
async fn refuse(stream: &mut ClientStream, front: &Front, status: StatusCode) {
    front.refused(stream.client(), status);
    if stream.write_all(&answer(status)).await.is_ok() {
        let _ = stream.shutdown().await;
    }
}

/// An answer of the proxy's own, after which the connection ends.
pub(super) fn answer(status: StatusCode) -> Vec<u8> {
    let (code, reason) = (
        status.as_u16(),
        status.canonical_reason().unwrap_or("Error"),
    );
    let body = format!("{code} {reason}\n");
    format!(
        "HTTP/1.1 {code} {reason}\r\ncontent-type: text/plain; charset=utf-8\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
