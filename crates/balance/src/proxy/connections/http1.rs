//! A connection with HTTP/1.

use std::sync::Arc;

use http::StatusCode;
use pingora_core::apps::{HttpServerApp as _, ServerApp as _};
use pingora_core::protocols::Stream;
use pingora_core::protocols::http::ServerSession;
use tokio::io::AsyncWriteExt as _;

use super::client_stream::ClientStream;
use super::front::Front;
use super::next_request::{Next, next_request};

/// Serves the requests of a connection one after the other. `http2`: the first bytes may begin
/// HTTP/2 instead.
pub(super) async fn serve(mut stream: Box<ClientStream>, front: &Arc<Front>, http2: bool) {
    let mut new = true;
    loop {
        match next_request(&mut stream, front, new, new && http2).await {
            Next::Request(head) => stream.begin(head),
            Next::Http2 => return serve_http2(stream, front).await,
            Next::Nothing => return,
            Next::Refused(status) => return refuse(&mut stream, front, status).await,
        }
        new = false;
        let Some(back) = request(stream, front).await else {
            return;
        };
        stream = back;
        stream.rest();
    }
}

/// Lets Pingora serve one request. Returns the connection if there may be another.
async fn request(stream: Box<ClientStream>, front: &Front) -> Option<Box<ClientStream>> {
    let mut session = ServerSession::new_http1(stream as Stream);
    // The time does not matter: Pingora never waits for the next request.
    session.set_keepalive(Some(60));
    let ended = front.http.process_new_http(session, &front.stop).await?;
    let (stream, _) = ended.consume();
    stream.into_any().downcast().ok()
}

/// Lets Pingora serve the connection with HTTP/2.
pub(super) async fn serve_http2(mut stream: Box<ClientStream>, front: &Arc<Front>) {
    stream.begin_http2();
    front
        .with_http2()
        .process_new(stream as Stream, &front.stop)
        .await;
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
