//! The head of a request: what is checked before it is passed on, and what is passed on.

use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, TE, TRANSFER_ENCODING, UPGRADE,
};
use http::request::Parts;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, Version};

use super::client::{self, Client};
use super::config::{Address, ClientLimits, Protocol};
use super::failure::Failure;
use super::forwarded::{ask_for, forward};
use super::group::Group;
use super::header_limits::within;
use super::header_rules::{join_cookies, respell_length, unambiguous};
use super::hop_by_hop;
use super::request_body::TOO_LARGE;
use super::servers::Upstream;
use crate::TOKEN_HEADER;

/// The header in which a server says that it is idle.
pub(crate) const TOKEN: HeaderName = HeaderName::from_static(TOKEN_HEADER);

/// How many fields servers are told more than the client has sent, usually.
const ADDED: usize = 2;

const WEBSOCKET: HeaderValue = HeaderValue::from_static("websocket");

/// The head of a request, ready to be sent to any server.
pub(crate) struct RequestHead {
    parts: Parts,
    /// Whether the client asks for a WebSocket.
    pub(crate) upgrade: bool,
    /// Whether the client takes trailers.
    trailers: bool,
}

/// Checks a request. The failure says what the answer is.
pub(crate) fn check(request: &Parts, limits: &ClientLimits) -> Result<(), Failure> {
    refuse_never_passed_on(&request.method)?;
    within(request, limits.header_bytes, limits.headers)?;
    unambiguous(request)?;
    let length = request.headers.get(CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    match (length, limits.body_bytes) {
        (Some(length), Some(most)) if length > most => Err(TOO_LARGE),
        _ => Ok(()),
    }
}

/// Refuses CONNECT and TRACE, in any case: methods differ by case, but some servers make them upper
/// case before they look. Other methods are for servers to know.
///
/// The status is 501, since no resource allows them; 405 would have to list what this one allows,
/// which its server knows alone (RFC 9110, sections 9.1 and 15.5.6).
fn refuse_never_passed_on(method: &Method) -> Result<(), Failure> {
    let is = |refused: &Method| method.as_str().eq_ignore_ascii_case(refused.as_str());
    let reason = if is(&Method::CONNECT) {
        "CONNECT is not passed on"
    } else if is(&Method::TRACE) {
        // The answer would show what a script must not see, such as cookies that are `HttpOnly`,
        // and what servers are told about the client (RFC 9110, section 9.3.8).
        "TRACE is not passed on"
    } else {
        return Ok(());
    };
    Err(Failure::Refused(StatusCode::NOT_IMPLEMENTED, reason))
}

impl RequestHead {
    /// Removes from a request what concerns its connection, and adds what servers are told, such as
    /// its id in this field.
    pub(crate) fn new(
        mut parts: Parts,
        client: &Client,
        limits: &ClientLimits,
        id: Option<(&HeaderName, &HeaderValue)>,
    ) -> Self {
        let headers = &mut parts.headers;
        let upgrade = asks_for_websocket(parts.version, headers);
        let trailers = headers.get(TE).is_some_and(takes_trailers);
        if headers.contains_key(TRANSFER_ENCODING) {
            // The encoding counts (RFC 9112, section 6.3).
            headers.remove(CONTENT_LENGTH);
        }
        respell_length(headers);
        hop_by_hop::remove(headers);
        // The proxy has asked for the body itself.
        headers.remove(EXPECT);
        if matches!(client.protocol, client::Protocol::Http2(_)) {
            join_cookies(headers);
        }
        headers.reserve(ADDED);
        forward(client, headers, limits.forwarded);
        if let Some((name, id)) = id {
            headers.insert(name, id.clone());
        }
        Self {
            parts,
            upgrade,
            trailers,
        }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The head for this server of `group`.
    pub(crate) fn to(&self, group: &Group, server: &Upstream) -> Request<()> {
        let mut request = Request::new(());
        *request.method_mut() = self.parts.method.clone();
        *request.headers_mut() = self.parts.headers.clone();
        let headers = request.headers_mut();
        if let Some(host) = &group.config.host {
            ask_for(host, headers);
        } else if !headers.contains_key(HOST) {
            // HTTP/1.0 may name no host. HTTP/1.1 says so (RFC 9112, section 3.2).
            headers.insert(HOST, HeaderValue::from_static(""));
        }
        match server.connector.protocol {
            Protocol::Http1 => {
                if self.upgrade {
                    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
                    headers.insert(UPGRADE, WEBSOCKET);
                }
                *request.uri_mut() = self.target();
            }
            Protocol::Http2 => {
                if self.trailers {
                    headers.insert(TE, HeaderValue::from_static("trailers"));
                }
                let host = headers.remove(HOST);
                *request.uri_mut() = self.whole_target(host.as_ref(), server);
                *request.version_mut() = Version::HTTP_2;
            }
        }
        request
    }

    /// The path and the query.
    fn target(&self) -> Uri {
        if self.parts.uri.authority().is_none() {
            return self.parts.uri.clone();
        }
        Uri::from(self.path())
    }

    /// The path and the query. Of a target such as `http://a#b` nothing is left, which shows itself
    /// as `/` but would be written as it is.
    fn path(&self) -> PathAndQuery {
        let path = self.parts.uri.path_and_query();
        match path.filter(|path| path.as_str() != "/") {
            Some(path) => path.clone(),
            None => PathAndQuery::from_static("/"),
        }
    }

    /// The target with scheme and host, as HTTP/2 wants it.
    fn whole_target(&self, host: Option<&HeaderValue>, server: &Upstream) -> Uri {
        let scheme = match server.connector.tls {
            Some(_) => Scheme::HTTPS,
            None => Scheme::HTTP,
        };
        let host = host.and_then(|host| Authority::try_from(host.as_bytes()).ok());
        let host = host.or_else(|| match server.address() {
            Address::Ip(address) => address.to_string().parse().ok(),
            Address::Unix(_) => Some(Authority::from_static("localhost")),
        });
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(scheme);
        parts.authority = host;
        parts.path_and_query = Some(self.path());
        Uri::from_parts(parts).unwrap_or_default()
    }
}

/// Whether this is the name of the protocol that the proxy makes tunnels for.
pub(crate) fn is_websocket(protocol: &HeaderValue) -> bool {
    protocol
        .as_bytes()
        .eq_ignore_ascii_case(WEBSOCKET.as_bytes())
}

fn asks_for_websocket(version: Version, headers: &HeaderMap) -> bool {
    version == Version::HTTP_11
        && headers.get(UPGRADE).is_some_and(is_websocket)
        && hop_by_hop::names(headers, &UPGRADE)
}

fn takes_trailers(te: &HeaderValue) -> bool {
    let mut parts = te.as_bytes().split(|byte| *byte == b',');
    parts.any(|part| part.trim_ascii().eq_ignore_ascii_case(b"trailers"))
}
