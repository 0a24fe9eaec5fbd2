//! tower middleware: [`Balance`] for the side that sends requests, [`TokenLayer`] for the side that
//! serves them.

mod balance;
mod counted_body;
mod in_service;
mod leased_body;
mod sending;
mod token_layer;
mod token_service;

pub use balance::Balance;
pub use counted_body::CountedBody;
pub use leased_body::LeasedBody;
pub use sending::Sending;
pub use token_layer::TokenLayer;
pub use token_service::{Serving, TokenService};

use http_body::Body;

/// Whether nothing more comes of `body`. The code that sends the body may stop here and never poll
/// it again.
fn has_ended(body: &impl Body) -> bool {
    body.is_end_stream() || body.size_hint().upper() == Some(0)
}
