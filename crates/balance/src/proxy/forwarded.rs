use std::fmt::Write as _;

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
    match (client.address.ip(), forwarded) {
        (Some(address), _) => {
            let mut all = String::new();
            if forwarded == Forwarded::Append {
                let earlier = headers.get_all(FOR).iter();
                for value in earlier.filter_map(|value| value.to_str().ok()) {
                    all += value;
                    all += ", ";
                }
            }
            // Writing to a string cannot fail.
            let _ = write!(all, "{address}");
            if let Ok(all) = HeaderValue::try_from(all) {
                headers.insert(FOR, all);
            }
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

/// Asks the server for another host than the client did, and tells it the client's.
pub(crate) fn ask_for(host: &HeaderValue, headers: &mut HeaderMap) {
    // A client cannot say it itself.
    headers.remove(HOST_ASKED);
    if let Some(asked) = headers.insert(HOST, host.clone()) {
        headers.insert(HOST_ASKED, asked);
    }
}
