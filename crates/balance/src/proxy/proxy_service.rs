//! The path of a request through the proxy.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE};
use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, Version, response};
use hyper::body::Incoming;

use super::after_others::after_others;
use super::answer_body::{AnswerBody, By, ServerAnswer};
use super::answer_length;
use super::client::Client;
use super::client::Protocol as Spoken;
use super::config::{Asked, Protocol};
use super::connections::Front;
use super::failure::Failure;
use super::group::Group;
use super::hop_by_hop;
use super::host::name_host;
use super::problem;
use super::request_body::{RequestBody, RequestSource};
use super::request_context::RequestContext;
use super::request_head::{self, RequestHead, TOKEN, is_websocket};
use super::reserved_fields;
use super::servers::{Http1Connection, NotAnswered, ServerClock, Upstream};
use super::stickiness;
use super::tunnel::Tunnel;
use crate::Told;

/// Serves a request. There is always an answer, but hyper wants a result.
pub(crate) async fn serve(
    front: Arc<Front>,
    client: Client,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Infallible> {
    let (head, body) = request.into_parts();
    let mut context = RequestContext::new(&front.proxy, client, &head);
    Ok(match answered(&front, &mut context, head, body).await {
        Ok((mut head, answer)) => {
            context.sent = Some(head.status.as_u16());
            context.show_id(&mut head.headers);
            if head.status == StatusCode::SWITCHING_PROTOCOLS {
                return Ok(switched(head, answer, context));
            }
            if ends(&context, &answer.source) {
                head.headers
                    .insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Response::from_parts(head, AnswerBody::of_server(answer, context))
        }
        Err(failure) => refused(context, failure),
    })
}

/// The answer of a server, if there is one.
async fn answered(
    front: &Front,
    context: &mut RequestContext,
    mut head: Parts,
    body: Incoming,
) -> Result<(response::Parts, ServerAnswer), Failure> {
    let limits = context.active.config.client;
    request_head::check(&head, &limits)?;
    let id = context.id().map(|(name, _)| name);
    name_host(&mut head);
    // Only servers may send tokens.
    if head.headers.remove(TOKEN).is_some() {
        front.proxy.counts.forged.add();
    }
    reserved_fields::remove_alike(&mut head.headers, id);
    if context.active.forwards_certificates {
        reserved_fields::remove_client_certificate(&mut head.headers);
    }
    let group = context.active.route(&Asked {
        host: &context.host,
        path: head.uri.path(),
        method: &head.method,
        headers: &head.headers,
    });
    let Some(group) = group.cloned() else {
        let reason = "no route for this host and path";
        return Err(Failure::Refused(StatusCode::NOT_FOUND, reason));
    };
    context.group = Some(group);
    let head = RequestHead::new(head, &context.client, &limits, context.id());
    let id = context.id().map(|(name, _)| name);
    let source = RequestSource::new(body, limits.read, limits.body_bytes, id);
    after_others().await;
    loop {
        let clock = choose(front, context, &head).await?;
        match attempt(front, context, &head, &source, clock).await {
            Ok((head, incoming, by)) => {
                let answer = ServerAnswer {
                    incoming,
                    by,
                    source,
                    clock,
                };
                return Ok((head, answer));
            }
            Err(failure) => {
                if let Some(failure) = context.attempt_failed(failure, &source) {
                    return Err(failure);
                }
            }
        }
    }
}

/// Waits for a server for the next attempt, which the request then holds.
async fn choose(
    front: &Front,
    context: &mut RequestContext,
    head: &RequestHead,
) -> Result<ServerClock, Failure> {
    // A request that waits, or is tried again, does so under the newest configuration.
    let group = context.current_group()?;
    if context.attempts > 0 {
        group.state.counts.retries.add();
    }
    let deadline = context.set_deadline(&group);
    let now = Instant::now();
    let end_of_wait = now + group.config.queue.wait;
    let until = deadline.map_or(end_of_wait, |deadline| deadline.min(end_of_wait));
    let belongs_to = stickiness::servers_of(&context.client, head.headers(), &group);
    let acquired = tokio::select! {
        biased;
        acquired = context.acquire(group, belongs_to, until) => acquired,
        // No server could answer it in time.
        () = front.draining().heads_are_over() => Err(Failure::QueueTimedOut),
    };
    let since = match &acquired {
        Ok((_, held)) => held.since(),
        Err(_) => Instant::now(),
    };
    context.waited += since - now;
    let (group, held) = acquired?;
    let clock = ServerClock {
        read: held.server().timeouts.read,
        deadline,
        since,
    };
    context.hold(group, held);
    Ok(clock)
}

/// Sends the request to the server that it holds.
async fn attempt(
    front: &Front,
    context: &mut RequestContext,
    head: &RequestHead,
    source: &RequestSource,
    clock: ServerClock,
) -> Result<(response::Parts, Incoming, By), Failure> {
    let (Some(held), Some(group)) = (&context.held, &context.group) else {
        return Err(Failure::Bug("an attempt without a server"));
    };
    let (server, group) = (Arc::clone(held.server()), Arc::clone(group));
    let (answer, by) = match server.connector.protocol {
        Protocol::Http1 => {
            let request = || {
                let mut request = head.to(&group, &server).map(|()| source.body());
                if source.has_no_length() {
                    // Without it hyper would leave out the body of a GET or HEAD.
                    let chunked = HeaderValue::from_static("chunked");
                    request.headers_mut().insert(TRANSFER_ENCODING, chunked);
                }
                request
            };
            let sent = send_by_http1(front.worker, context, &server, request, source, clock);
            let (answer, connection) = sent.await?;
            let by = By::Http1 {
                connection,
                server: Arc::clone(&server),
                worker: front.worker,
            };
            (answer, by)
        }
        Protocol::Http2 => {
            let pool = &server.pools[front.worker];
            let address = server.address();
            let time = within(server.timeouts.connect, clock);
            let write = server.timeouts.write;
            let stream = pool.stream(&server.connector, &address, time, write);
            let mut stream = Box::new(Box::pin(stream).await?);
            context.connected = true;
            let request = head.to(&group, &server).map(|()| source.body());
            let answer = stream.send(request, source, clock).await;
            (
                answer.map_err(|it| failure(it, context))?,
                By::Http2(stream),
            )
        }
    };
    let (mut answer, incoming) = answer.into_parts();
    pass_on(context, head, &group, &server, &mut answer)?;
    Ok((answer, incoming, by))
}

/// Sends a request over a connection with HTTP/1: one that was kept, or a new one.
///
/// A server may close a kept connection at any time. If it did before anything was sent, the
/// request goes over another. If it did so afterwards, without an answer, and the request may be
/// sent twice, it goes over a new one: the server is not to blame. This happens once, since a
/// server that reads the request and closes would do so on every connection that was kept.
async fn send_by_http1(
    worker: usize,
    context: &mut RequestContext,
    server: &Upstream,
    make_request: impl Fn() -> Request<RequestBody>,
    source: &RequestSource,
    mut clock: ServerClock,
) -> Result<(Response<Incoming>, Box<Http1Connection>), Failure> {
    let address = server.address();
    let mut request = make_request();
    let mut is_repeated = false;
    loop {
        let kept = if is_repeated {
            None
        } else {
            server.pools[worker].take(&address)
        };
        let mut connection = match kept {
            Some(kept) => kept,
            None => {
                let time = within(server.timeouts.connect, clock);
                let write = server.timeouts.write;
                // It is large and rare: on the heap it does not make every request larger.
                let stream = Box::pin(server.connector.connect(&address, time, write)).await?;
                clock.since = Instant::now();
                Box::new(Http1Connection::new(stream, address.clone()).await?)
            }
        };
        context.connected = true;
        match connection.send(request, source, clock).await {
            Ok(answer) => return Ok((answer, connection)),
            Err(NotAnswered::Unsent(unsent)) if connection.is_used() => {
                context.connected = false;
                request = *unsent;
            }
            Err(NotAnswered::Failed(Failure::Broken(_)))
                if connection.is_used()
                    && context.method.is_idempotent()
                    && source.is_kept()
                    && source.failure().is_none() =>
            {
                request = make_request();
                is_repeated = true;
            }
            Err(not_answered) => return Err(failure(not_answered, context)),
        }
    }
}

/// How an attempt has failed.
fn failure(not_answered: NotAnswered, context: &mut RequestContext) -> Failure {
    match not_answered {
        NotAnswered::Unsent(_) => {
            context.connected = false;
            Failure::Broken(None)
        }
        NotAnswered::Failed(failure) => failure,
    }
}

/// This time, or what is left until the deadline.
fn within(time: Duration, clock: ServerClock) -> Duration {
    let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
    clock.deadline.map(left).map_or(time, |left| left.min(time))
}

/// Takes from the head of an answer what is for the proxy, and adds what is for the client.
fn pass_on(
    context: &mut RequestContext,
    asked: &RequestHead,
    group: &Group,
    server: &Upstream,
    answer: &mut response::Parts,
) -> Result<(), Failure> {
    context.status = answer.status.as_u16();
    context.told = Told::of(&answer.headers);
    answer.version = Version::HTTP_11;
    answer.headers.remove(TOKEN);
    let protocol = match answer.status {
        StatusCode::SWITCHING_PROTOCOLS => answer.headers.get(UPGRADE).cloned(),
        _ => None,
    };
    answer_length::settle(&mut answer.headers)?;
    hop_by_hop::remove(&mut answer.headers);
    match answer.status {
        StatusCode::SWITCHING_PROTOCOLS => {
            // An answer that was not asked for gets no tunnel.
            let protocol = protocol.filter(|it| asked.upgrade && is_websocket(it));
            let protocol = protocol.ok_or(Failure::Garbage)?;
            answer.headers.insert(UPGRADE, protocol);
            let upgrade = HeaderValue::from_static("upgrade");
            answer.headers.insert(CONNECTION, upgrade);
        }
        // It has no body, so that a length would make a client wait (RFC 9110, section 8.6).
        StatusCode::NO_CONTENT => {
            answer.headers.remove(CONTENT_LENGTH);
        }
        _ => {}
    }
    stickiness::set_cookie(
        &context.client,
        asked.headers(),
        group,
        server,
        &mut answer.headers,
    );
    Ok(())
}

/// Whether the client is told that this is the last answer on its connection, which then ends. It
/// is if the server has answered before the request's body, which is `source`, has ended: nobody
/// may read the rest.
fn ends(context: &RequestContext, source: &RequestSource) -> bool {
    match &context.client.protocol {
        Spoken::Http1(turn) => {
            turn.ends_if(!source.has_ended() || context.proxy().draining.has_begun())
        }
        Spoken::Http2(_) => false,
    }
}

/// The server switches protocols: the connection becomes a tunnel after this answer.
fn switched(
    head: response::Parts,
    answer: ServerAnswer,
    context: Box<RequestContext>,
) -> Response<AnswerBody> {
    let stream = match answer.by {
        By::Http1 { connection, .. } => connection.into_stream(),
        By::Http2(_) => None,
    };
    let (Some((server, first)), Spoken::Http1(turn)) = (stream, context.client.protocol.clone())
    else {
        return refused(context, Failure::Garbage);
    };
    turn.tunnel(Tunnel {
        server,
        first,
        clock: answer.clock,
        context,
    });
    Response::from_parts(head, AnswerBody::NONE)
}

/// The proxy's own answer to a request that has failed. Its connection ends then.
fn refused(mut context: Box<RequestContext>, failure: Failure) -> Response<AnswerBody> {
    context.failed(failure);
    let status = problem::status(failure);
    let queue = context.group.as_ref().map(|group| group.config.queue);
    let retry_after = queue.filter(|_| status == StatusCode::SERVICE_UNAVAILABLE);
    let mut answer = problem::answer(status, retry_after.map(|queue| queue.retry_after));
    if failure != Failure::ClientLeft {
        context.sent = Some(status.as_u16());
    }
    if let Spoken::Http1(turn) = &context.client.protocol {
        turn.end();
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(CONNECTION, close);
    }
    context.show_id(answer.headers_mut());
    answer.map(|body| AnswerBody::own(body, context))
}
