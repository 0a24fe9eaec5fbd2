use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::has_ended;
use super::in_service::Presence;

pin_project! {
    /// A body that counts as a request in service until it has ended or is dropped.
    #[derive(Debug)]
    pub struct CountedBody<B> {
        #[pin]
        body: B,
        presence: Option<Presence>,
    }
}

impl<B: Body> CountedBody<B> {
    pub(super) fn new(body: B, presence: Option<Presence>) -> Self {
        Self { body, presence }
    }
}

impl<B: Body> Body for CountedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let mut this = self.project();
        let frame = ready!(this.body.as_mut().poll_frame(cx));
        if !matches!(&frame, Some(Ok(_))) || has_ended(&*this.body) {
            *this.presence = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
