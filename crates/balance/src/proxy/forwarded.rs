use std::fmt::Write as _;

use http::header::HOST;
use http::{HeaderName, HeaderValue};
use pingora_error::Result;
use pingora_http::RequestHeader;
use pingora_proxy::Session;

use super::config::Forwarded;

const HOST_ASKED: HeaderName = HeaderName::from_static("x-forwarded-host");
const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Tells the server the client's address and whether its connection is encrypted.
pub(crate) fn forward(
    session: &Session,
    request: &mut RequestHeader,
    forwarded: Forwarded,
) -> Result<()> {
    let client = session.client_addr().and_then(|address| address.as_inet());
    if let Some(client) = client {
        let mut all = String::new();
        if forwarded == Forwarded::Append {
            let earlier = request.headers.get_all(FOR).iter();
            for value in earlier.filter_map(|value| value.to_str().ok()) {
                all += value;
                all += ", ";
            }
        }
        // Writing to a string cannot fail.
        let _ = write!(all, "{}", client.ip());
        request.insert_header(FOR, all)?;
    }
    let behind_another = forwarded == Forwarded::Append && request.headers.contains_key(PROTO);
    if !behind_another {
        let encrypted = is_encrypted(session);
        request.insert_header(PROTO, if encrypted { "https" } else { "http" })?;
    }
    Ok(())
}

/// Asks the server for another host than the client did, and tells it the client's.
pub(crate) fn ask_for(host: &HeaderValue, request: &mut RequestHeader) -> Result<()> {
    let authority = request.uri.authority().map(|it| it.as_str().as_bytes());
    let field = request.headers.get(HOST).map(HeaderValue::as_bytes);
    let asked = authority.or(field).map(<[u8]>::to_vec);
    // A client cannot say it itself.
    request.remove_header(&HOST_ASKED);
    if let Some(asked) = asked {
        request.insert_header(HOST_ASKED, asked)?;
    }
    request.insert_header(HOST, host)
}

/// Whether the client's connection is encrypted.
pub(crate) fn is_encrypted(session: &Session) -> bool {
    let digest = session.digest();
    digest.is_some_and(|digest| digest.ssl_digest.is_some())
}
