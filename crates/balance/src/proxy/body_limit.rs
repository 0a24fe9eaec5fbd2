//! A limit on the bodies of requests.

use http::header::CONTENT_LENGTH;
use pingora_error::{Error, ErrorType, Result};
use pingora_http::RequestHeader;

/// How much of a request's body has come.
#[derive(Debug, Default)]
pub(crate) struct BodySize(u64);

impl BodySize {
    /// So many bytes have come. The error makes the answer 413.
    pub(crate) fn count(&mut self, bytes: usize, limit: Option<u64>) -> Result<()> {
        self.0 = self.0.saturating_add(bytes as u64);
        within(self.0, limit)
    }
}

/// Checks the length that a request announces.
pub(crate) fn check_length(request: &RequestHeader, limit: Option<u64>) -> Result<()> {
    let length = request.headers.get(CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
    within(length.unwrap_or(0), limit)
}

fn within(size: u64, limit: Option<u64>) -> Result<()> {
    if limit.is_none_or(|limit| size <= limit) {
        return Ok(());
    }
    let explanation = "the body of the request is too large";
    Err(Error::explain(ErrorType::HTTPStatus(413), explanation).into_down())
}
