//! tower middleware: [`Balance`] for the side that sends requests, [`TokenLayer`] for the side that serves
//! them.

mod balance;
mod counted;
mod leased;
mod sending;
mod token_layer;

pub use balance::Balance;
pub use counted::Counted;
pub use leased::Leased;
pub use sending::Sending;
pub use token_layer::{Serving, TokenLayer, TokenService};

use http_body::Body;

/// Whether nothing more comes of `body`. Whoever writes it may stop here and never ask again.
fn has_ended(body: &impl Body) -> bool {
    body.is_end_stream() || body.size_hint().upper() == Some(0)
}
