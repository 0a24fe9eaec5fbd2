use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use filch_balance::TOKEN_HEADER;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How a server treats requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// It answers after this long.
    Answer(Duration),
    /// It answers with this status.
    Status(u16),
    /// It sends the head of an answer and nothing more.
    HeadOnly,
    /// It never answers.
    Hang,
    /// It resets the connection when a request has come.
    Reset,
}

/// A server in this process.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct State {
    mood: Mutex<Mood>,
    /// Whether answers say whether the server is idle.
    tokens: bool,
    present: AtomicUsize,
    served: AtomicU64,
    /// What requests had in the token's header.
    forged: AtomicU64,
    connections: Mutex<Vec<JoinHandle<()>>>,
}

impl Server {
    /// A server that answers at once and says nothing of itself.
    pub(crate) async fn start() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), false).await
    }

    /// A server that says whether it is idle.
    pub(crate) async fn with_tokens() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), true).await
    }

    /// A server at this address.
    pub(crate) async fn at(address: SocketAddr, tokens: bool) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            mood: Mutex::new(Mood::Answer(Duration::ZERO)),
            tokens,
            present: AtomicUsize::new(0),
            served: AtomicU64::new(0),
            forged: AtomicU64::new(0),
            connections: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, state.clone()));
        Self {
            address,
            state,
            accepting,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn set(&self, mood: Mood) {
        *self.state.mood.lock().unwrap() = mood;
    }

    /// Answers so far.
    pub(crate) fn served(&self) -> u64 {
        self.state.served.load(Ordering::SeqCst)
    }

    /// Requests that are here now.
    pub(crate) fn present(&self) -> usize {
        self.state.present.load(Ordering::SeqCst)
    }

    /// Requests that came with the token's header.
    pub(crate) fn forged(&self) -> u64 {
        self.state.forged.load(Ordering::SeqCst)
    }
}

/// The server is killed: its port is closed and its connections are cut.
impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
        for connection in self.state.connections.lock().unwrap().drain(..) {
            connection.abort();
        }
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        let connection = tokio::spawn(serve(stream, state.clone()));
        let mut connections = state.connections.lock().unwrap();
        connections.retain(|it| !it.is_finished());
        connections.push(connection);
    }
}

async fn serve(stream: TcpStream, state: Arc<State>) {
    let answer = service_fn(|request| answer(request, state.clone()));
    let server = auto::Builder::new(TokioExecutor::new());
    // A failed connection is the client's loss; what the test expects, it checks there.
    let _ = server.serve_connection(TokioIo::new(stream), answer).await;
}

/// Counts a request from when it comes until its answer goes out, or it is dropped.
struct Present(Arc<State>);

impl Present {
    fn new(state: &Arc<State>) -> Self {
        state.present.fetch_add(1, Ordering::SeqCst);
        Self(state.clone())
    }

    /// Whether this was the only request.
    fn leave(self) -> bool {
        let state = self.0.clone();
        std::mem::forget(self);
        state.present.fetch_sub(1, Ordering::SeqCst) == 1
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.present.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Debug)]
struct Cut;

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cut")
    }
}

impl std::error::Error for Cut {}

async fn answer(
    request: Request<Incoming>,
    state: Arc<State>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Cut> {
    if request.uri().path() == "/health" {
        let down = *state.mood.lock().unwrap() == Mood::Hang;
        let status = if down { 503 } else { 200 };
        let body = http_body_util::Empty::new().boxed();
        return Ok(Response::builder().status(status).body(body).unwrap());
    }
    let present = Present::new(&state);
    if request.headers().contains_key(TOKEN_HEADER) {
        state.forged.fetch_add(1, Ordering::SeqCst);
    }
    let grpc = request
        .headers()
        .get("content-type")
        .is_some_and(|it| it == "application/grpc");
    let host = request.headers().get("host");
    let host = host.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let elsewhere = format!("http://{host}/elsewhere");
    let mood = *state.mood.lock().unwrap();
    match mood {
        Mood::Answer(delay) if delay.is_zero() => {}
        Mood::Answer(delay) => tokio::time::sleep(delay).await,
        Mood::Status(_) | Mood::HeadOnly => {}
        Mood::Hang => std::future::pending().await,
        Mood::Reset => return Err(Cut),
    }
    state.served.fetch_add(1, Ordering::SeqCst);
    let mut frames = vec![Ok(Frame::data(Bytes::from_static(b"hello\n")))];
    let mut response = Response::builder();
    if let Mood::Status(status) = mood {
        response = response.status(status).header("location", elsewhere);
    }
    if mood == Mood::HeadOnly {
        let endless = Endless(present);
        let endless = http_body_util::StreamBody::new(endless).boxed();
        return Ok(response.body(endless).unwrap());
    }
    if grpc {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        frames.push(Ok(Frame::trailers(trailers)));
        response = response.header("content-type", "application/grpc");
    } else {
        response = response.header("content-length", "6");
    }
    let idle = present.leave();
    if state.tokens {
        response = response.header(TOKEN_HEADER, if idle { "idle" } else { "busy" });
    }
    let frames = http_body_util::StreamBody::new(Frames(frames.into_iter()));
    Ok(response.body(BodyExt::boxed(frames)).unwrap())
}

/// Frames that never come. The request is present until the client gives up.
struct Endless(#[allow(dead_code)] Present);

impl futures_core::Stream for Endless {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Pending
    }
}

/// Frames that are all there.
struct Frames(std::vec::IntoIter<Result<Frame<Bytes>, Infallible>>);

impl futures_core::Stream for Frames {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(self.0.next())
    }
}
