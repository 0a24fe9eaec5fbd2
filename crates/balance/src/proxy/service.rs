//! The path of a request through the proxy, as Pingora walks it.
//!
//! The server that a request holds is in its context, so it is given back when the context is
//! dropped, whatever ends the request. Before that, each way to end says what was learned: the end of the
//! server's answer, a failure to connect, a failure afterwards, or the client's leaving, of which nothing is
//! learned about the server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use pingora_core::modules::http::HttpModules;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_error::{Error, ErrorSource, ErrorType, Result};
use pingora_http::{RequestHeader, ResponseHeader};
use pingora_proxy::{FailToProxy, ProxyHttp, ProxyWarnLogContext, Session};

use super::context::Context;
use super::forward;
use super::problem;
use super::retry::Attempt;
use super::shared::Shared;
use crate::{TOKEN_HEADER, Told};

/// The header in which a server says that it is idle.
pub(crate) const TOKEN: HeaderName = HeaderName::from_static(TOKEN_HEADER);

/// The proxy, for Pingora.
pub(crate) struct Service(pub(crate) Arc<Shared>);

#[async_trait]
impl ProxyHttp for Service {
    type CTX = Context;

    fn new_ctx(&self) -> Context {
        Context::new(&self.0)
    }

    /// None: compression is the servers' business.
    fn init_downstream_modules(&self, _: &mut HttpModules) {}

    async fn early_request_filter(&self, session: &mut Session, ctx: &mut Context) -> Result<()> {
        let client = ctx.table.config.client;
        let idle = client.idle.as_secs_f64().ceil() as u64;
        if session.get_keepalive().is_some() {
            session.set_keepalive(Some(idle));
        }
        // Otherwise Pingora breaks off a client that sends its next request early, as RFC 9112 section 9.3.2 lets it.
        session.set_pipelining_enabled(true);
        session.set_read_timeout(Some(client.read));
        session.set_write_timeout(Some(client.write));
        forward::within(session.req_header(), client.header_bytes, client.headers)
    }

    async fn request_filter(&self, session: &mut Session, ctx: &mut Context) -> Result<bool> {
        // Only servers may say who is idle.
        if session.req_header_mut().remove_header(&TOKEN).is_some() {
            self.0.counts.forged.add();
        }
        let request = session.req_header();
        let host = forward::host(request);
        ctx.group = ctx.table.route(&host, request.uri.path()).cloned();
        if ctx.group.is_none() {
            return Err(Error::explain(
                ErrorType::HTTPStatus(404),
                "no route for this host and path",
            ));
        }
        Ok(false)
    }

    async fn upstream_peer(
        &self,
        session: &mut Session,
        ctx: &mut Context,
    ) -> Result<Box<HttpPeer>> {
        // A request that waits, or tries again, does so under the configuration of the day.
        let mut group = ctx.current_group(&self.0)?;
        if ctx.attempts > 0 {
            group.live.counts.retries.add();
        }
        let deadline = ctx.deadline(&group);
        let now = Instant::now();
        let patience = now + group.said.queue.wait;
        let until = deadline.map_or(patience, |deadline| deadline.min(patience));
        let silent = session.is_body_empty();
        let held = tokio::select! {
            biased;
            held = ctx.acquire(&self.0, &mut group, until) => held,
            // Nothing more is to come from this client, so that what comes is its leaving.
            left = session.as_downstream_mut().read_body_or_idle(true), if silent => {
                Err(left.err().unwrap_or_else(|| Error::new(ErrorType::ConnectionClosed)).into_down())
            }
        };
        ctx.waited += now.elapsed();
        let held = held?;
        let server = Arc::clone(held.server());
        ctx.attempts += 1;
        ctx.connected = false;
        ctx.avoided.push(Arc::clone(&server.name));
        ctx.server = Some(Arc::clone(&server.name));
        ctx.group = Some(group);
        ctx.told = Told::Silent;
        ctx.held = Some(held);
        Ok(server.peer(deadline))
    }

    async fn upstream_request_filter(
        &self,
        session: &mut Session,
        request: &mut RequestHeader,
        ctx: &mut Context,
    ) -> Result<()> {
        request.remove_header(&TOKEN);
        forward::add(session, request, ctx.table.config.client.forwarded)
    }

    async fn connected_to_upstream(
        &self,
        _: &mut Session,
        _: bool,
        _: &HttpPeer,
        #[cfg(unix)] _: std::os::unix::io::RawFd,
        #[cfg(windows)] _: std::os::windows::io::RawSocket,
        _: Option<&pingora_core::protocols::Digest>,
        ctx: &mut Context,
    ) -> Result<()> {
        ctx.connected = true;
        Ok(())
    }

    async fn upstream_response_filter(
        &self,
        _: &mut Session,
        response: &mut ResponseHeader,
        ctx: &mut Context,
    ) -> Result<()> {
        // A server that says two things says nothing.
        let twice = response.headers.get_all(&TOKEN).iter().nth(1).is_some();
        let token = response.remove_header(&TOKEN).filter(|_| !twice);
        if !response.status.is_informational() {
            ctx.told = Told::read(token.as_ref().map(HeaderValue::as_bytes));
        }
        Ok(())
    }

    fn upstream_response_body_filter(
        &self,
        _: &mut Session,
        _: &mut Option<Bytes>,
        end: bool,
        ctx: &mut Context,
    ) -> Result<Option<Duration>> {
        if end {
            // The server is done, though the client may still be reading.
            ctx.answered();
        } else if ctx.late() {
            let explanation = "the time for the whole request is up";
            return Err(Error::explain(ErrorType::ReadTimedout, explanation).into_up());
        }
        Ok(None)
    }

    fn fail_to_connect(
        &self,
        session: &mut Session,
        _: &HttpPeer,
        ctx: &mut Context,
        error: Box<Error>,
    ) -> Box<Error> {
        self.attempt_failed(session, ctx, error.into_up())
    }

    fn error_while_proxy(
        &self,
        _: &HttpPeer,
        session: &mut Session,
        error: Box<Error>,
        ctx: &mut Context,
        _: bool,
    ) -> Box<Error> {
        self.attempt_failed(session, ctx, error)
    }

    async fn fail_to_proxy(
        &self,
        session: &mut Session,
        error: &Error,
        ctx: &mut Context,
    ) -> FailToProxy {
        let kind = problem::kind(error);
        ctx.problem = Some(kind);
        match &ctx.group {
            Some(group) => group.live.counts.had(kind),
            None => self.0.counts.refused.add(),
        }
        let mut code = 0;
        if let Some(status) = problem::status(error) {
            code = status.as_u16();
            let queue = ctx.group.as_ref().map(|group| group.said.queue);
            let retry_after = queue.filter(|_| code == 503).map(|queue| queue.retry_after);
            if let Ok((header, body)) = problem::answer(status, retry_after) {
                // If it cannot be written the client has left, and the log says that nothing was sent.
                let _ = session.write_error_response(header, body).await;
            }
        }
        FailToProxy {
            error_code: code,
            can_reuse_downstream: false,
        }
    }

    async fn logging(&self, session: &mut Session, error: Option<&Error>, ctx: &mut Context) {
        // How long a tunnel stands says nothing about the server.
        if error.is_none() && !session.was_upgraded() {
            ctx.answered();
        }
        // Otherwise whoever failed has said so, or it was the client, and then nothing was learned.
        drop(ctx.held.take());
        ctx.log(session, error);
    }

    /// The access log has it.
    fn suppress_error_log(&self, _: &Session, _: &Context, _: &Error) -> bool {
        true
    }

    fn suppress_proxy_warn_log(
        &self,
        _: &Session,
        _: &Context,
        _: &Error,
        _: ProxyWarnLogContext,
    ) -> bool {
        true
    }
}

impl Service {
    /// Gives back the server of an attempt that failed, and says whether there may be another.
    fn attempt_failed(
        &self,
        session: &mut Session,
        ctx: &mut Context,
        mut error: Box<Error>,
    ) -> Box<Error> {
        // The server cannot answer while it waits for the client's next piece.
        let waits_for_client = matches!(error.etype(), ErrorType::ReadTimedout)
            && (session.was_upgraded() || !session.as_downstream_mut().is_body_done());
        let by_server = *error.esource() == ErrorSource::Upstream && !waits_for_client;
        ctx.last = Some(error.etype().clone());
        let Some(group) = ctx.group.clone() else {
            return error;
        };
        if let Some(held) = ctx.held.take()
            && by_server
        {
            held.failed(&group);
        }
        let attempt = Attempt {
            connected: ctx.connected,
            by_server,
            answered: session.response_written().is_some(),
            idempotent: session.req_header().method.is_idempotent(),
            body_kept: !session.as_ref().retry_buffer_truncated(),
            attempts: ctx.attempts,
            retries: group.said.retries,
            late: ctx.late(),
        };
        error.set_retry(attempt.may_repeat());
        if error.retry() {
            group.live.counts.had(problem::kind(&error));
        }
        error
    }
}
