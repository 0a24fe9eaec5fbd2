use http::header::HOST;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::client::Client;
use super::config::Forwarded;
use super::tls::CLIENT_CERT;

const HOST_ASKED: HeaderName = HeaderName::from_static("x-forwarded-host");
const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Tells the server the client's address, whether its connection is encrypted, and the certificate
/// that it has shown.
pub(crate) fn forward(client: &Client, headers: &mut HeaderMap, forwarded: Forwarded) {
    match (&client.forwarded_for, forwarded) {
        (Some(address), Forwarded::Replace) => drop(headers.insert(FOR, address.clone())),
        (Some(address), Forwarded::Append) => {
            let all = after_earlier(headers, address);
            headers.insert(FOR, all.unwrap_or_else(|| address.clone()));
        }
        // It has no address that could be said.
        (None, Forwarded::Replace) => drop(headers.remove(FOR)),
        (None, Forwarded::Append) => {}
    }
    let behind_another = forwarded == Forwarded::Append && headers.contains_key(PROTO);
    if !behind_another {
        let scheme = if client.encrypted { "https" } else { "http" };
        headers.insert(PROTO, HeaderValue::from_static(scheme));
    }
    if let Some(certificate) = &client.certificate {
        headers.insert(CLIENT_CERT, certificate.value().clone());
    }
}

/// The addresses that the request names, and this one. None if it names none.
fn after_earlier(headers: &HeaderMap, address: &HeaderValue) -> Option<HeaderValue> {
    let mut all = String::new();
    let earlier = headers.get_all(FOR).iter();
    for value in earlier.filter_map(|value| value.to_str().ok()) {
        all += value;
        all += ", ";
    }
    if all.is_empty() {
        return None;
    }
    all += address.to_str().ok()?;
    HeaderValue::try_from(all).ok()
}

/// Asks the server for another host than the client did, and tells it the client's.
pub(crate) fn ask_for(host: &HeaderValue, headers: &mut HeaderMap) {
    // A client cannot say it itself.
    headers.remove(HOST_ASKED);
    if let Some(asked) = headers.insert(HOST, host.clone()) {
        headers.insert(HOST_ASKED, asked);
    }
}
