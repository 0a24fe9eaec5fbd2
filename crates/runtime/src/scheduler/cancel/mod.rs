//! Cancellation: work that was not started is left out.
//!
//! A token is one atomic flag. Everything here is written on top of joins and scopes, which know
//! nothing of tokens and pay nothing for them.

mod join;
mod scope;
mod slices;
mod token;

pub use scope::CancelScope;
pub use token::{CancelToken, Cancelled};
