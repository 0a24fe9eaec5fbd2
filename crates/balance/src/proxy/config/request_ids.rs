use http::HeaderName;

use super::raw::RawRequestIds;
use super::source::{ConfigError, Source};
use crate::proxy::reserved_fields::is_reserved;

/// The field if none is named.
const USUAL: HeaderName = HeaderName::from_static("x-request-id");

/// Each request has an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestIds {
    /// The field that has it, to servers and in answers.
    pub name: HeaderName,
    /// Whether answers have it.
    pub answer: bool,
}

pub(super) fn request_ids(
    source: &Source<'_>,
    raw: &RawRequestIds,
) -> Result<RequestIds, ConfigError> {
    let name = match &raw.name {
        None => USUAL,
        Some(value) => name(value.get_ref()).ok_or_else(|| {
            let problem = format!(
                "'{}' cannot be the field of an id: write one that begins with x- or ends with \
                 -id, such as \"x-request-id\"",
                value.get_ref().escape_debug()
            );
            source.refuse(value.span().start, "request_id.name", problem)
        })?,
    };
    Ok(RequestIds {
        name,
        answer: raw.answer.unwrap_or(false),
    })
}

/// The field of this name, which means nothing else.
fn name(text: &str) -> Option<HeaderName> {
    let name = HeaderName::from_bytes(text.as_bytes()).ok()?;
    let text = name.as_str();
    let is_id = text.starts_with("x-") || text.ends_with("-id");
    (is_id && !text.contains('_') && !is_reserved(&name)).then_some(name)
}
