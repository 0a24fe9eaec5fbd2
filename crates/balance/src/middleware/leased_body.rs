use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use super::has_ended;
use crate::{Lease, Outcome, Told};

pin_project! {
    /// A body that holds its request's lease, its outcome by the status, and what the token header
    /// said, until it has ended.
    ///
    /// A body that breaks off counts as a failure of the server. A body that is dropped before its
    /// end counts as abandoned.
    pub struct LeasedBody<B, K>
    where
        K: Eq,
        K: Hash,
    {
        #[pin]
        body: B,
        lease: Option<Lease<K>>,
        outcome: Outcome,
        told: Told,
    }
}

impl<B: Body, K: Eq + Hash> LeasedBody<B, K> {
    pub(super) fn new(body: B, lease: Lease<K>, outcome: Outcome, told: Told) -> Self {
        let mut leased = Self {
            lease: Some(lease),
            outcome,
            told,
            body,
        };
        if has_ended(&leased.body) {
            answered(&mut leased.lease, outcome, told);
        }
        leased
    }
}

fn answered<K: Eq + Hash>(lease: &mut Option<Lease<K>>, outcome: Outcome, told: Told) {
    if let Some(lease) = lease.take() {
        lease.ended(outcome, told);
    }
}

impl<B: Body, K: Eq + Hash> Body for LeasedBody<B, K> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let mut this = self.project();
        let frame = ready!(this.body.as_mut().poll_frame(cx));
        match &frame {
            Some(Ok(_)) if !has_ended(&*this.body) => {}
            Some(Ok(_)) | None => answered(this.lease, *this.outcome, *this.told),
            Some(Err(_)) => {
                if let Some(lease) = this.lease.take() {
                    lease.failed();
                }
            }
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

impl<B: fmt::Debug, K: Eq + Hash + fmt::Debug> fmt::Debug for LeasedBody<B, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeasedBody")
            .field("body", &self.body)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}
