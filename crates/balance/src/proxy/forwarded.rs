use pingora_error::Result;
use pingora_http::RequestHeader;
use pingora_proxy::Session;

use super::config::Forwarded;

const FOR: &str = "x-forwarded-for";
const PROTO: &str = "x-forwarded-proto";

/// Tells the server the client's address and whether its connection is encrypted.
pub(crate) fn forward(
    session: &Session,
    request: &mut RequestHeader,
    forwarded: Forwarded,
) -> Result<()> {
    let client = session.client_addr().and_then(|address| address.as_inet());
    if let Some(client) = client {
        let client = client.ip().to_string();
        let earlier: Vec<_> = match forwarded {
            Forwarded::Replace => Vec::new(),
            Forwarded::Append => request
                .headers
                .get_all(FOR)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .map(str::to_owned)
                .collect(),
        };
        let all = earlier.into_iter().chain([client]).collect::<Vec<_>>();
        request.insert_header(FOR, all.join(", "))?;
    }
    let behind_another = forwarded == Forwarded::Append && request.headers.contains_key(PROTO);
    if !behind_another {
        let digest = session.digest();
        let encrypted = digest.is_some_and(|digest| digest.ssl_digest.is_some());
        request.insert_header(PROTO, if encrypted { "https" } else { "http" })?;
    }
    Ok(())
}
