//! The body of a request, from the client to a server, or to another one if the first has failed.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, StatusCode};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::failure::Failure;
use super::patience::Patience;
use super::trailers;
use crate::poison::unpoisoned;

/// How much of a body is kept in case that the request must be sent again.
const KEPT: usize = 64 * 1024;

pub(crate) const TOO_LARGE: Failure = Failure::Refused(
    StatusCode::PAYLOAD_TOO_LARGE,
    "the body of the request is too large",
);

const MALFORMED: Failure = Failure::Refused(
    StatusCode::BAD_REQUEST,
    "the body of the request is malformed",
);

/// Where the body of a request comes from. There is nothing to share if it is empty.
#[derive(Debug)]
pub(crate) struct RequestSource(Option<Arc<Mutex<FromClient>>>);

/// A body as it comes from the client.
struct FromClient {
    incoming: Incoming,
    /// The length of the whole body, if the client has said it.
    length: Option<u64>,
    /// How many bytes there may be.
    most: Option<u64>,
    /// How long the client may take for the next part.
    read: Duration,
    patience: Patience,
    waits: bool,
    /// What has come, unless it was too much to be kept.
    kept: Option<Vec<Bytes>>,
    trailers: Option<HeaderMap>,
    /// The field of the request's id, if it has one.
    id: Option<HeaderName>,
    /// How many bytes have come.
    size: u64,
    /// When the last part came.
    last: Option<Instant>,
    has_ended: bool,
    failure: Option<Failure>,
    /// The number of the attempt that may read.
    attempt: usize,
}

impl RequestSource {
    /// The body that comes, of which each part may take `read`, and all of them may have `most`
    /// bytes. `id` is the field of the request's id, if it has one.
    pub(crate) fn new(
        incoming: Incoming,
        read: Duration,
        most: Option<u64>,
        id: Option<&HeaderName>,
    ) -> Self {
        if incoming.is_end_stream() {
            return Self(None);
        }
        Self(Some(Arc::new(Mutex::new(FromClient {
            length: incoming.size_hint().exact(),
            incoming,
            most,
            read,
            patience: Patience::default(),
            waits: false,
            kept: Some(Vec::new()),
            trailers: None,
            id: id.cloned(),
            size: 0,
            last: None,
            has_ended: false,
            failure: None,
            attempt: 0,
        }))))
    }

    /// The body for the next attempt, from the beginning. The one before it ends.
    pub(crate) fn body(&self) -> RequestBody {
        RequestBody(self.0.as_ref().map(|from| {
            let mut client = unpoisoned(from.lock());
            client.attempt += 1;
            let attempt = client.attempt;
            drop(client);
            Reader {
                from: Arc::clone(from),
                attempt,
                part: 0,
                sent: 0,
                sent_trailers: false,
            }
        }))
    }

    fn ask<T>(&self, none: T, question: impl FnOnce(&FromClient) -> T) -> T {
        match &self.0 {
            Some(from) => {
                let from = unpoisoned(from.lock());
                question(&from)
            }
            None => none,
        }
    }

    /// Whether all of it has come.
    pub(crate) fn has_ended(&self) -> bool {
        self.ask(true, |from| from.has_ended)
    }

    /// Whether there may be a body, and the client has not said how long it is.
    pub(crate) fn has_no_length(&self) -> bool {
        self.ask(false, |from| from.length.is_none())
    }

    /// Whether it can be sent again.
    pub(crate) fn is_kept(&self) -> bool {
        self.ask(true, |from| from.kept.is_some())
    }

    /// What is wrong with it.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.ask(None, |from| from.failure)
    }

    /// When its last part came, as long as there is more to come.
    pub(crate) fn last_part(&self) -> Option<Instant> {
        self.ask(None, |from| from.last)
    }
}

impl FromClient {
    /// The next frame from the client.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        if let Some(failure) = self.failure {
            return Poll::Ready(Some(Err(failure)));
        }
        let frame = match Pin::new(&mut self.incoming).poll_frame(cx) {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                if !self.waits {
                    self.waits = true;
                    self.patience.until((Instant::now() + self.read).into());
                }
                ready!(self.patience.poll_over(cx));
                return Poll::Ready(Some(Err(self.failed(Failure::ClientTimedOut))));
            }
        };
        self.waits = false;
        self.last = Some(Instant::now());
        Poll::Ready(match frame {
            Some(Ok(frame)) => Some(self.take(frame)),
            Some(Err(error)) => Some(Err(self.failed(of_client(&error)))),
            None => {
                self.has_ended = true;
                None
            }
        })
    }

    /// Counts and keeps a frame.
    fn take(&mut self, mut frame: Frame<Bytes>) -> Result<Frame<Bytes>, Failure> {
        if let Some(data) = frame.data_ref() {
            self.size += data.len() as u64;
            if self.most.is_some_and(|most| self.size > most) {
                return Err(self.failed(TOO_LARGE));
            }
            if self.size > KEPT as u64 {
                self.kept = None;
            } else if let Some(kept) = &mut self.kept {
                kept.push(data.clone());
            }
        } else if let Some(trailers) = frame.trailers_mut() {
            trailers::clean(trailers, self.id.as_ref());
            self.trailers = Some(trailers.clone());
        }
        // Trailers are the last frame, after which hyper asks for no other.
        self.has_ended = frame.is_trailers() || self.incoming.is_end_stream();
        Ok(frame)
    }

    fn failed(&mut self, failure: Failure) -> Failure {
        self.failure = Some(failure);
        failure
    }
}

/// What an error of a client's connection means.
fn of_client(error: &hyper::Error) -> Failure {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return match error.kind() {
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => MALFORMED,
                _ => Failure::ClientLeft,
            };
        }
        cause = error.source();
    }
    Failure::ClientLeft
}

/// The body of one attempt.
#[derive(Debug)]
pub(crate) struct RequestBody(Option<Reader>);

#[derive(Debug)]
struct Reader {
    from: Arc<Mutex<FromClient>>,
    attempt: usize,
    /// The number of the next part that was kept.
    part: usize,
    /// How many bytes have been sent.
    sent: u64,
    sent_trailers: bool,
}

impl RequestBody {
    /// No body.
    pub(crate) const EMPTY: Self = Self(None);
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let Some(reader) = &mut self.get_mut().0 else {
            return Poll::Ready(None);
        };
        let mut from = unpoisoned(reader.from.lock());
        if reader.attempt != from.attempt {
            let failure = Failure::Bug("an attempt that is over reads the body");
            return Poll::Ready(Some(Err(failure)));
        }
        let kept = from.kept.as_ref().and_then(|kept| kept.get(reader.part));
        if let Some(part) = kept {
            reader.part += 1;
            reader.sent += part.len() as u64;
            return Poll::Ready(Some(Ok(Frame::data(part.clone()))));
        }
        if from.has_ended {
            let trailers = from.trailers.clone().filter(|_| !reader.sent_trailers);
            reader.sent_trailers = true;
            return Poll::Ready(trailers.map(|it| Ok(Frame::trailers(it))));
        }
        let frame = ready!(from.poll_next(cx));
        if let Some(data) = frame
            .as_ref()
            .and_then(|frame| frame.as_ref().ok()?.data_ref())
        {
            reader.part += 1;
            reader.sent += data.len() as u64;
        } else {
            reader.sent_trailers = true;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let Some(reader) = &self.0 else { return true };
        let from = unpoisoned(reader.from.lock());
        let is_sent = from
            .kept
            .as_ref()
            .is_none_or(|kept| reader.part >= kept.len());
        from.has_ended && is_sent && (reader.sent_trailers || from.trailers.is_none())
    }

    fn size_hint(&self) -> SizeHint {
        let Some(reader) = &self.0 else {
            return SizeHint::with_exact(0);
        };
        let length = unpoisoned(reader.from.lock()).length;
        length.map_or_else(SizeHint::new, |length| {
            SizeHint::with_exact(length.saturating_sub(reader.sent))
        })
    }
}

impl fmt::Debug for FromClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromClient").finish_non_exhaustive()
    }
}
