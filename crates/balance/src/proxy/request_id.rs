//! The id of a request, by which its lines in several logs are found.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::config::Forwarded;
use super::random_id::random_id;

/// The longest id of a client's that is kept.
const LONGEST: usize = 128;

/// The id of a request with these headers: the client's own, if it is another proxy and the id is
/// well-formed, and a new one otherwise.
pub(crate) fn id_of(
    headers: &HeaderMap,
    name: &HeaderName,
    forwarded: Forwarded,
) -> Option<HeaderValue> {
    if forwarded == Forwarded::Append
        && let Some(own) = only(headers, name)
        && is_well_formed(own)
    {
        return Some(own.clone());
    }
    HeaderValue::try_from(format!("{:032x}", random_id()?)).ok()
}

/// The value of this field, if it occurs once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// Whether it is an id, and not a text that means something in a log or to a server.
fn is_well_formed(id: &HeaderValue) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:;=+/@".contains(byte);
    !id.is_empty() && id.len() <= LONGEST && id.as_bytes().iter().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: HeaderName = HeaderName::from_static("x-request-id");

    fn id(values: &[&str], forwarded: Forwarded) -> String {
        let values = values.iter().map(|value| (NAME, value.parse().unwrap()));
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(name, value);
        }
        let id = id_of(&headers, &NAME, forwarded).unwrap();
        id.to_str().unwrap().to_owned()
    }

    fn is_new(id: &str) -> bool {
        id.len() == 32
            && id
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    #[test]
    fn a_proxy_may_name_a_request() {
        let longest = "x".repeat(128);
        for own in [
            "1",
            "8c8ffd5e-0f5c-4c63-9c73-ab1d7c1c1b1e",
            "Root=1-67891233-abcdef012345678912345678;Self=1",
            "105445aa7843bc8bf206b12000100000/1;o=1",
            &longest,
        ] {
            assert_eq!(id(&[own], Forwarded::Append), own);
            assert!(is_new(&id(&[own], Forwarded::Replace)), "{own}");
        }
    }

    #[test]
    fn what_is_not_well_formed_is_replaced() {
        let long = "x".repeat(129);
        for own in [
            &[][..],
            &[""],
            &["a", "b"],
            &["a", "a"],
            &["a b"],
            &["a,b"],
            &["a\tb"],
            &["{\"a\"}"],
            &["<script>"],
            &["\u{e9}"],
            &[&long],
        ] {
            assert!(is_new(&id(own, Forwarded::Append)), "{own:?}");
        }
        assert_ne!(id(&[], Forwarded::Append), id(&[], Forwarded::Append));
    }
}
