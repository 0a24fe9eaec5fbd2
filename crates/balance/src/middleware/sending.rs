use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::Response;
use http_body::Body;
use pin_project_lite::pin_project;
use tower::BoxError;

use super::LeasedBody;
use crate::{Lease, TOKEN_HEADER, Told};

pin_project! {
    /// The future of a [`Balance`](super::Balance)'s answer.
    ///
    /// An error of the service counts as a failure of the server. A future that is dropped counts
    /// as abandoned.
    #[must_use = "futures do nothing unless polled"]
    pub struct Sending<F, K>
    where
        K: Eq,
        K: Hash,
    {
        #[pin]
        answer: F,
        lease: Option<Lease<K>>,
    }
}

impl<F, K: Eq + Hash> Sending<F, K> {
    pub(super) fn new(answer: F, lease: Lease<K>) -> Self {
        Self {
            answer,
            lease: Some(lease),
        }
    }
}

impl<F, K, B, E> Future for Sending<F, K>
where
    F: Future<Output = Result<Response<B>, E>>,
    K: Eq + Hash,
    B: Body,
    E: Into<BoxError>,
{
    type Output = Result<Response<LeasedBody<B, K>>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.answer.poll(cx));
        let lease = this.lease.take().expect("polled after it was ready");
        Poll::Ready(match answer {
            Ok(mut answer) => {
                let told = Told::of(answer.headers());
                answer.headers_mut().remove(TOKEN_HEADER);
                let outcome = lease.outcome_of(answer.status().as_u16());
                Ok(answer.map(|body| LeasedBody::new(body, lease, outcome, told)))
            }
            Err(error) => {
                lease.failed();
                Err(error.into())
            }
        })
    }
}

impl<F, K: Eq + Hash + fmt::Debug> fmt::Debug for Sending<F, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sending")
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}
