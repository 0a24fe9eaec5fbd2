//! The admin page and the metrics over HTTP.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;

use super::config::AdminToken;
use super::host::host;
use super::metrics;
use super::proxy_state::ProxyState;
use super::snapshot::Snapshot;

const PAGE: &str = include_str!("admin.html");

/// What comes before the token of an operator.
const SCHEME: &[u8] = b"Bearer ";

/// Serves the page, its data and the metrics on loopback, or the metrics alone.
pub(crate) struct Admin {
    pub(crate) proxy: Arc<ProxyState>,
    pub(crate) metrics_only: bool,
}

impl Admin {
    /// The answer to this request.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let asked = host(request.uri(), request.headers());
        let token = self.proxy.active().config.admin_token.clone();
        if let (&Method::POST, Some(token), false) = (request.method(), token, self.metrics_only)
            && is_local(&asked)
        {
            return self.order(request, &token);
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let mut answer = refused(StatusCode::METHOD_NOT_ALLOWED);
            let allowed = http::HeaderValue::from_static("GET, HEAD");
            answer.headers_mut().insert(ALLOW, allowed);
            return answer;
        }
        // Against DNS rebinding: another site's name may resolve to loopback in the operator's
        // browser.
        if !self.metrics_only && !is_local(&asked) {
            return refused(StatusCode::FORBIDDEN);
        }
        let (kind, body) = match (request.uri().path(), self.metrics_only) {
            ("/metrics", _) => (
                "text/plain; version=0.0.4; charset=utf-8",
                metrics::text(&self.proxy),
            ),
            ("/", false) => ("text/html; charset=utf-8", PAGE.to_owned()),
            ("/state.json", false) => match serde_json::to_string(&Snapshot::of(&self.proxy)) {
                Ok(state) => ("application/json", state),
                Err(_) => return refused(StatusCode::INTERNAL_SERVER_ERROR),
            },
            _ => return refused(StatusCode::NOT_FOUND),
        };
        answer(StatusCode::OK, kind, body, request.method() == Method::HEAD)
    }

    /// An order of an operator: `POST /groups/GROUP/servers/SERVER/drain` or `/enable`.
    fn order<B>(&self, request: &Request<B>, token: &AdminToken) -> Response<Full<Bytes>> {
        let active = self.proxy.active();
        let sent = request.headers().get(AUTHORIZATION);
        // The name of the scheme may be in any case (RFC 9110, section 11.1).
        let sent = sent.and_then(|value| value.as_bytes().split_at_checked(SCHEME.len()));
        if !sent.is_some_and(|(scheme, sent)| scheme.eq_ignore_ascii_case(SCHEME) && token.is(sent))
        {
            return refused(StatusCode::UNAUTHORIZED);
        }
        let Some((group, server, order)) = parts(request.uri().path()) else {
            return refused(StatusCode::NOT_FOUND);
        };
        let server = active
            .group(group)
            .and_then(|group| group.state.server(server));
        match (server, order) {
            (Some(server), "drain") => server.health.drain(true),
            (Some(server), "enable") => server.health.drain(false),
            _ => return refused(StatusCode::NOT_FOUND),
        }
        answer(
            StatusCode::OK,
            "text/plain; charset=utf-8",
            "done\n".into(),
            false,
        )
    }
}

/// The group, the server and the order that this path names. The name of a Unix socket has slashes.
fn parts(path: &str) -> Option<(&str, &str, &str)> {
    let (group, rest) = path.strip_prefix("/groups/")?.split_once('/')?;
    let (server, order) = rest.strip_prefix("servers/")?.rsplit_once('/')?;
    Some((group, server, order))
}

fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn refused(status: StatusCode) -> Response<Full<Bytes>> {
    let reason = format!("{}\n", status.canonical_reason().unwrap_or("Error"));
    answer(status, "text/plain; charset=utf-8", reason, false)
}

fn answer(status: StatusCode, kind: &str, body: String, head: bool) -> Response<Full<Bytes>> {
    let length = body.len();
    let body = if head { Bytes::new() } else { body.into() };
    let built = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind)
        .header(CONTENT_LENGTH, length)
        .header(CACHE_CONTROL, "no-store")
        .header(
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
             connect-src 'self'; frame-ancestors 'none'",
        )
        .body(Full::new(body));
    built.expect("every part of it is fixed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_local() {
        for (host, local) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("[::1]", true),
            ("10.0.0.1", false),
            ("localhost.example.org", false),
            ("", false),
        ] {
            assert_eq!(is_local(host), local, "{host}");
        }
    }
}
