use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::client::Protocol;
use super::failure::Failure;
use super::request_body::RequestSource;
use super::request_context::RequestContext;
use super::servers::{Http1Connection, Http2Stream, ServerClock, Upstream};
use super::trailers;

/// The body of an answer, on its way from a server to the client.
///
/// It holds the request until the answer has ended: dropping it before says that the client left.
pub(crate) struct AnswerBody(Option<Passing>);

struct Passing {
    from: From,
    context: Box<RequestContext>,
}

enum From {
    /// The proxy itself, or nothing more.
    Own(Option<Bytes>),
    Server(ServerAnswer),
    /// A server that has failed meanwhile.
    Failed(Failure),
}

/// The body of a server's answer, and the connection that it comes by.
pub(crate) struct ServerAnswer {
    pub(crate) incoming: Incoming,
    pub(crate) by: By,
    /// The request's body, which may still be being sent.
    pub(crate) source: RequestSource,
    pub(crate) clock: ServerClock,
}

/// What an answer comes by.
pub(crate) enum By {
    Http1 {
        connection: Box<Http1Connection>,
        server: Arc<Upstream>,
        worker: usize,
    },
    Http2(Box<Http2Stream>),
}

impl AnswerBody {
    /// No body, of an answer after which the request goes on in another way.
    pub(crate) const NONE: Self = Self(None);

    /// The body of an answer of the proxy's own.
    pub(crate) fn own(body: Bytes, context: Box<RequestContext>) -> Self {
        let from = From::Own(Some(body).filter(|body| !body.is_empty()));
        Self::passing(Passing { from, context })
    }

    /// The body of a server's answer.
    pub(crate) fn of_server(answer: ServerAnswer, context: Box<RequestContext>) -> Self {
        let mut passing = Passing {
            from: From::Own(None),
            context,
        };
        if answer.incoming.is_end_stream() {
            passing.ended(answer.by);
        } else {
            passing.from = From::Server(answer);
        }
        Self::passing(passing)
    }

    fn passing(passing: Passing) -> Self {
        if let Protocol::Http2(progress) = &passing.context.client.protocol {
            // The head is sent, and then the client must allow the first part of the body.
            progress.sends();
        }
        Self(Some(passing))
    }
}

impl Passing {
    /// The server's answer has ended. The client may still be reading.
    fn ended(&mut self, by: By) {
        let now = Instant::now();
        self.context.answered(now);
        if let By::Http1 {
            connection,
            server,
            worker,
        } = by
        {
            server.pools[worker].keep(connection, now);
        }
    }

    /// The server has failed while it answered.
    fn failed(&mut self, failure: Failure, source: &RequestSource) -> Failure {
        let failure = self
            .context
            .attempt_failed(failure, source)
            .unwrap_or(failure);
        self.context.failed(failure);
        failure
    }

    fn poll_server(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let From::Server(answer) = &mut self.from else {
            return Poll::Ready(None);
        };
        let result = match answer.poll_frame(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Some(Ok(frame))) => {
                let has_ended = answer.incoming.is_end_stream();
                if !has_ended && !self.context.is_late() {
                    return Poll::Ready(Some(Ok(frame)));
                }
                if has_ended {
                    Ok(Some(frame))
                } else {
                    Err(Failure::ServerTimedOut)
                }
            }
            Poll::Ready(None) => Ok(None),
            Poll::Ready(Some(Err(failure))) => Err(failure),
        };
        // This was the last part.
        let From::Server(answer) = std::mem::replace(&mut self.from, From::Own(None)) else {
            return Poll::Ready(None);
        };
        match result {
            Ok(frame) => {
                self.ended(answer.by);
                Poll::Ready(frame.map(Ok))
            }
            Err(failure) => {
                // hyper throws away what it has not written when it gets an error. So it first gets
                // the time to write what there was of the answer.
                self.from = From::Failed(self.failed(failure, &answer.source));
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

impl ServerAnswer {
    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let mut frame = Pin::new(&mut self.incoming).poll_frame(cx);
        if frame.is_pending()
            && let By::Http1 { connection, .. } = &mut self.by
        {
            connection.drive(cx);
            frame = Pin::new(&mut self.incoming).poll_frame(cx);
        }
        let wait = match &mut self.by {
            By::Http1 { connection, .. } => &mut connection.wait,
            By::Http2(stream) => &mut stream.wait,
        };
        match frame {
            Poll::Ready(mut frame) => {
                wait.end();
                if let Some(Ok(frame)) = &mut frame
                    && let Some(trailers) = frame.trailers_mut()
                {
                    trailers::clean(trailers, None);
                }
                Poll::Ready(frame.map(|it| it.map_err(|error| Failure::of_server(&error))))
            }
            Poll::Pending => wait
                .poll_late(cx, self.clock, &self.source)
                .map(|()| Some(Err(Failure::ServerTimedOut))),
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let Some(this) = &mut self.get_mut().0 else {
            return Poll::Ready(None);
        };
        if let Protocol::Http2(progress) = &this.context.client.protocol {
            progress.has_sent();
        }
        let frame = match &mut this.from {
            From::Own(body) => Poll::Ready(body.take().map(|body| Ok(Frame::data(body)))),
            From::Server(_) => this.poll_server(cx),
            From::Failed(failure) => {
                let failure = *failure;
                this.from = From::Own(None);
                Poll::Ready(Some(Err(failure)))
            }
        };
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            let size = frame.data_ref().map_or(0, Bytes::len);
            this.context.bytes += size as u64;
            if let Protocol::Http2(progress) = &this.context.client.protocol {
                progress.sends();
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        match self.0.as_ref().map(|passing| &passing.from) {
            None | Some(From::Own(None)) => true,
            Some(From::Own(Some(_)) | From::Server(_) | From::Failed(_)) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self.0.as_ref().map(|passing| &passing.from) {
            None | Some(From::Own(None)) => SizeHint::with_exact(0),
            Some(From::Own(Some(body))) => SizeHint::with_exact(body.len() as u64),
            Some(From::Server(answer)) => answer.incoming.size_hint(),
            Some(From::Failed(_)) => SizeHint::new(),
        }
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if let Protocol::Http1(turn) = &self.context.client.protocol {
            turn.answered();
        }
    }
}
