//! The path of a request through the proxy: the stages that Pingora calls.
//!
//! The server that a request holds is in its context, so its lease is returned when the context is
//! dropped, whatever ends the request. Before that, each way to end says what was learned about the
//! server: it has answered, no connection was made, it failed later, or the client left, from which
//! nothing is learned.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderName};
use http::{StatusCode, Version};
use pingora_core::modules::http::HttpModules;
use pingora_core::upstreams::peer::HttpPeer;
use pingora_error::{Error, ErrorSource, ErrorType, Result};
use pingora_http::{RequestHeader, ResponseHeader};
use pingora_proxy::{FailToProxy, ProxyHttp, ProxyWarnLogContext, Session};

use super::body_limit;
use super::config::Asked;
use super::failed_attempt::FailedAttempt;
use super::forwarded::{ask_for, forward};
use super::header_limits::within;
use super::header_rules::{join_cookies, unambiguous};
use super::host::host;
use super::problem::{self, Problem};
use super::proxy_state::ProxyState;
use super::request_context::RequestContext;
use super::stickiness;
use crate::{TOKEN_HEADER, Told};

/// The header in which a server says that it is idle.
pub(crate) const TOKEN: HeaderName = HeaderName::from_static(TOKEN_HEADER);

/// The proxy, for Pingora.
pub(crate) struct ProxyService(pub(crate) Arc<ProxyState>);

#[async_trait]
impl ProxyHttp for ProxyService {
    type CTX = RequestContext;

    fn new_ctx(&self) -> RequestContext {
        RequestContext::new(&self.0)
    }

    /// No modules: compression is left to the servers.
    fn init_downstream_modules(&self, _: &mut HttpModules) {}

    async fn early_request_filter(
        &self,
        session: &mut Session,
        ctx: &mut RequestContext,
    ) -> Result<()> {
        let client = ctx.active.config.client;
        session.set_read_timeout(Some(client.read));
        session.set_write_timeout(Some(client.write));
        let request = session.req_header();
        within(request, client.header_bytes, client.headers)?;
        unambiguous(request)?;
        body_limit::check_length(request, client.body_bytes)
    }

    async fn request_filter(
        &self,
        session: &mut Session,
        ctx: &mut RequestContext,
    ) -> Result<bool> {
        // Only servers may send tokens.
        if session.req_header_mut().remove_header(&TOKEN).is_some() {
            self.0.counts.forged.add();
        }
        let request = session.req_header();
        let group = ctx.active.route(&Asked {
            host: &host(request),
            path: request.uri.path(),
            method: &request.method,
            headers: &request.headers,
        });
        ctx.group = group.cloned();
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
        ctx: &mut RequestContext,
    ) -> Result<Box<HttpPeer>> {
        // A request that waits, or is tried again, does so under the newest configuration.
        let group = ctx.current_group()?;
        if ctx.attempts > 0 {
            group.state.counts.retries.add();
        }
        let deadline = ctx.set_deadline(&group);
        let now = Instant::now();
        let end_of_wait = now + group.config.queue.wait;
        let until = deadline.map_or(end_of_wait, |deadline| deadline.min(end_of_wait));
        let has_no_body = session.is_body_empty();
        let belongs_to = stickiness::servers_of(session, &group);
        let acquired = tokio::select! {
            biased;
            acquired = ctx.acquire(group, belongs_to, until) => acquired,
            // This client has sent everything, so the only news can be that it leaves.
            left = session.as_downstream_mut().read_body_or_idle(true), if has_no_body => {
                let left = left.err();
                Err(left.unwrap_or_else(|| Error::new(ErrorType::ConnectionClosed)).into_down())
            }
        };
        ctx.waited += now.elapsed();
        let (group, held) = acquired?;
        let peer = held.server().peer(deadline);
        ctx.hold(group, held);
        Ok(peer)
    }

    async fn upstream_request_filter(
        &self,
        session: &mut Session,
        request: &mut RequestHeader,
        ctx: &mut RequestContext,
    ) -> Result<()> {
        request.remove_header(&TOKEN);
        if session.req_header().version == Version::HTTP_2 {
            join_cookies(request)?;
        }
        if let Some(host) = ctx.group.as_ref().and_then(|it| it.config.host.as_ref()) {
            ask_for(host, request)?;
        }
        forward(session, request, ctx.active.config.client.forwarded)
    }

    async fn connected_to_upstream(
        &self,
        _: &mut Session,
        _: bool,
        _: &HttpPeer,
        #[cfg(unix)] _: std::os::unix::io::RawFd,
        #[cfg(windows)] _: std::os::windows::io::RawSocket,
        _: Option<&pingora_core::protocols::Digest>,
        ctx: &mut RequestContext,
    ) -> Result<()> {
        ctx.connected = true;
        Ok(())
    }

    async fn upstream_response_filter(
        &self,
        session: &mut Session,
        response: &mut ResponseHeader,
        ctx: &mut RequestContext,
    ) -> Result<()> {
        if !response.status.is_informational() {
            ctx.status = response.status.as_u16();
            ctx.told = Told::of(&response.headers);
            if let (Some(group), Some(held)) = (&ctx.group, &ctx.held) {
                stickiness::set_cookie(session, group, held.server(), response)?;
            }
        }
        response.remove_header(&TOKEN);
        match response.status {
            StatusCode::SWITCHING_PROTOCOLS if !session.is_upgrade_req() => {
                let explanation = "an answer switches protocols without having been asked to";
                return Err(Error::explain(ErrorType::InvalidHTTPHeader, explanation).into_up());
            }
            // It has no body, so that a length would make a client wait (RFC 9110, section 8.6).
            StatusCode::NO_CONTENT => {
                response.remove_header(&CONTENT_LENGTH);
            }
            _ => {}
        }
        if self.0.draining.has_begun() {
            // The client is told that this is the last answer on its connection.
            session.set_keepalive(None);
        }
        Ok(())
    }

    async fn request_body_filter(
        &self,
        _: &mut Session,
        body: &mut Option<Bytes>,
        _: bool,
        ctx: &mut RequestContext,
    ) -> Result<()> {
        let size = body.as_ref().map_or(0, Bytes::len);
        ctx.body.count(size, ctx.active.config.client.body_bytes)
    }

    fn upstream_response_body_filter(
        &self,
        _: &mut Session,
        _: &mut Option<Bytes>,
        end: bool,
        ctx: &mut RequestContext,
    ) -> Result<Option<Duration>> {
        if end {
            // The server is done. The client may still be reading.
            ctx.answered();
        } else if ctx.is_late() {
            let explanation = "the time for the whole request is up";
            return Err(Error::explain(ErrorType::ReadTimedout, explanation).into_up());
        }
        Ok(None)
    }

    fn fail_to_connect(
        &self,
        session: &mut Session,
        _: &HttpPeer,
        ctx: &mut RequestContext,
        error: Box<Error>,
    ) -> Box<Error> {
        self.attempt_failed(session, ctx, error.into_up())
    }

    fn error_while_proxy(
        &self,
        _: &HttpPeer,
        session: &mut Session,
        error: Box<Error>,
        ctx: &mut RequestContext,
        _: bool,
    ) -> Box<Error> {
        self.attempt_failed(session, ctx, error)
    }

    async fn fail_to_proxy(
        &self,
        session: &mut Session,
        error: &Error,
        ctx: &mut RequestContext,
    ) -> FailToProxy {
        let problem = Problem::of(error);
        ctx.problem = Some(problem);
        match &ctx.group {
            Some(group) => group.state.counts.had(problem),
            None => self.0.counts.refused.add(),
        }
        let mut code = 0;
        if let Some(status) = problem::status(error) {
            code = status.as_u16();
            let queue = ctx.group.as_ref().map(|group| group.config.queue);
            let retry_after = queue.filter(|_| code == 503).map(|queue| queue.retry_after);
            if let Ok((header, body)) = problem::answer(status, retry_after) {
                // If this fails the client has left, and the log says that nothing was sent.
                let _ = session.write_error_response(header, body).await;
            }
        }
        FailToProxy {
            error_code: code,
            can_reuse_downstream: false,
        }
    }

    async fn logging(
        &self,
        session: &mut Session,
        error: Option<&Error>,
        ctx: &mut RequestContext,
    ) {
        // The length of a tunnel says nothing about the server's speed.
        if error.is_none() && !session.was_upgraded() {
            ctx.answered();
        }
        // If the server failed, its lease is back already. If the client did, nothing is learned.
        drop(ctx.held.take());
        ctx.log(session, error);
    }

    /// The access log has the error.
    fn suppress_error_log(&self, _: &Session, _: &RequestContext, _: &Error) -> bool {
        true
    }

    fn suppress_proxy_warn_log(
        &self,
        _: &Session,
        _: &RequestContext,
        _: &Error,
        _: ProxyWarnLogContext,
    ) -> bool {
        true
    }
}

impl ProxyService {
    /// Returns the lease of an attempt that failed, and marks the error if there may be another
    /// attempt.
    fn attempt_failed(
        &self,
        session: &mut Session,
        ctx: &mut RequestContext,
        mut error: Box<Error>,
    ) -> Box<Error> {
        // The server cannot answer while it waits for the rest of the client's body.
        let waits_for_client = matches!(error.etype(), ErrorType::ReadTimedout)
            && (session.was_upgraded() || !session.as_downstream_mut().is_body_done());
        let by_server = *error.esource() == ErrorSource::Upstream && !waits_for_client;
        if waits_for_client && !session.was_upgraded() {
            error.as_down();
        }
        ctx.last_error = Some(error.etype().clone());
        let Some(group) = ctx.group.clone() else {
            return error;
        };
        if let Some(held) = ctx.held.take()
            && by_server
        {
            held.failed(group.config.failures);
        }
        let attempt = FailedAttempt {
            connected: ctx.connected,
            by_server,
            answered: session.response_written().is_some(),
            idempotent: session.req_header().method.is_idempotent(),
            body_kept: !session.as_ref().retry_buffer_truncated(),
            attempts: ctx.attempts,
            retries: group.config.retries,
            late: ctx.is_late(),
        };
        error.set_retry(attempt.may_repeat());
        if error.retry() {
            group.state.counts.had(Problem::of(&error));
        }
        error
    }
}
