use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use http::{HeaderName, HeaderValue, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::Counted;
use crate::{TOKEN_HEADER, Told};

/// A layer for the side that serves: it tells dispatchers when the server is idle.
///
/// It counts the requests in service, of all clients and through all clones, and puts the [token
/// header](TOKEN_HEADER) on each answer: `idle` if the answer leaves the server without requests, otherwise
/// `busy`. An answer goes to one dispatcher, so that one alone gets the token.
///
/// A header goes out before its body. An answer whose whole length is known and no more than
/// [`SMALL`](Self::SMALL) is taken to be done when its header goes: of several that leave at the same moment
/// exactly one is the last. A longer one, or a stream, is in service until its body has ended or was
/// dropped; its header says `idle` if nothing else is in service when it goes, which the dispatcher applies when
/// the body has ended. Streams that overlap all say `busy`, and nobody gets the token: docs/tokens.md.
#[derive(Clone, Debug, Default)]
pub struct TokenLayer {
    in_service: InService,
}

impl TokenLayer {
    /// The longest answer, in bytes, that is done when its header goes.
    pub const SMALL: u64 = 64 * 1024;

    /// A layer for a whole server: services under clones of it are counted together.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests in service.
    pub fn in_service(&self) -> usize {
        self.in_service.0.load(Ordering::Relaxed)
    }
}

impl<S> Layer<S> for TokenLayer {
    type Service = TokenService<S>;

    fn layer(&self, service: S) -> TokenService<S> {
        TokenService {
            service,
            in_service: self.in_service.clone(),
        }
    }
}

/// How many requests are in service.
///
/// Ordering: the count is all there is to know, and read-modify-write operations on one word see each
/// other in one order; so relaxed ones will do, and exactly one request sees itself as the last.
#[derive(Clone, Debug, Default)]
struct InService(Arc<AtomicUsize>);

impl InService {
    fn enter(&self) -> Presence {
        self.0.fetch_add(1, Ordering::Relaxed);
        Presence(Some(self.clone()))
    }
}

/// A request in service, until it is dropped.
#[derive(Debug)]
pub(super) struct Presence(Option<InService>);

impl Presence {
    fn is_alone(&self) -> bool {
        let count = |count: &InService| count.0.load(Ordering::Relaxed);
        self.0.as_ref().is_some_and(|all| count(all) == 1)
    }

    /// Ends it and says whether it was the last.
    fn leave(mut self) -> bool {
        let all = self.0.take();
        all.is_some_and(|all| all.0.fetch_sub(1, Ordering::Relaxed) == 1)
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if let Some(all) = &self.0 {
            all.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A service under a [`TokenLayer`].
#[derive(Clone, Debug)]
pub struct TokenService<S> {
    service: S,
    in_service: InService,
}

impl<S, Req, B> Service<Req> for TokenService<S>
where
    S: Service<Req, Response = Response<B>>,
    B: Body,
{
    type Response = Response<Counted<B>>;
    type Error = S::Error;
    type Future = Serving<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Req) -> Serving<S::Future> {
        let presence = Some(self.in_service.enter());
        Serving {
            answer: self.service.call(request),
            presence,
        }
    }
}

pin_project! {
    /// The answer of a [`TokenService`], to come.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Serving<F> {
        #[pin]
        answer: F,
        presence: Option<Presence>,
    }
}

impl<F, B, E> Future for Serving<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: Body,
{
    type Output = Result<Response<Counted<B>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.answer.poll(cx));
        let presence = this.presence.take().expect("polled after it was ready");
        Poll::Ready(answer.map(|answer| {
            let (mut head, body) = answer.into_parts();
            let is_small = body
                .size_hint()
                .exact()
                .is_some_and(|size| size <= TokenLayer::SMALL);
            let (idle, presence) = if is_small || body.is_end_stream() {
                (presence.leave(), None)
            } else {
                (presence.is_alone(), Some(presence))
            };
            let told = if idle { Told::Idle } else { Told::Busy };
            if let Some(value) = told.value() {
                let name = HeaderName::from_static(TOKEN_HEADER);
                // Whatever the service itself said, perhaps passed on from elsewhere, is replaced.
                head.headers.insert(name, HeaderValue::from_static(value));
            }
            Response::from_parts(head, Counted::new(body, presence))
        }))
    }
}
