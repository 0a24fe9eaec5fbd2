use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{HeaderName, HeaderValue, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use tower::Service;

use super::in_service::{InService, Presence};
use super::{CountedBody, TokenLayer};
use crate::TOKEN_HEADER;

/// A service under a [`TokenLayer`].
#[derive(Clone, Debug)]
pub struct TokenService<S> {
    service: S,
    in_service: InService,
}

impl<S> TokenService<S> {
    pub(super) fn new(service: S, in_service: InService) -> Self {
        Self {
            service,
            in_service,
        }
    }
}

impl<S, Req, B> Service<Req> for TokenService<S>
where
    S: Service<Req, Response = Response<B>>,
    B: Body,
{
    type Response = Response<CountedBody<B>>;
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
    /// The future of a [`TokenService`]'s answer.
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
    type Output = Result<Response<CountedBody<B>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.answer.poll(cx));
        let presence = this.presence.take().expect("polled after it was ready");
        Poll::Ready(answer.map(|answer| with_token(answer, presence)))
    }
}

/// Puts the header on the answer and counts its body until the end, unless it is small.
fn with_token<B: Body>(answer: Response<B>, presence: Presence) -> Response<CountedBody<B>> {
    let (mut head, body) = answer.into_parts();
    let is_small = body
        .size_hint()
        .exact()
        .is_some_and(|size| size <= TokenLayer::SMALL);
    let (told, presence) = if is_small || body.is_end_stream() {
        (presence.leave(), None)
    } else {
        (presence.answer(), Some(presence))
    };
    // Replaces a header of the service itself, which may have passed on another server's answer.
    let name = HeaderName::from_static(TOKEN_HEADER);
    head.headers.remove(&name);
    let value = told
        .value()
        .and_then(|value| HeaderValue::from_str(&value).ok());
    head.headers.extend(value.map(|value| (name, value)));
    Response::from_parts(head, CountedBody::new(body, presence))
}
