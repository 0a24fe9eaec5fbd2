//! The computations that have names.

mod chain;
mod comb;
mod fib;
pub(super) mod figure1;
mod fork;
mod items;
pub(super) mod kstrict;
mod list;
mod looped;
pub(super) mod random;
mod stairs;
mod tree;
mod uneven;

pub use chain::Chain;
pub use comb::Comb;
pub use fib::Fib;
pub use items::{Items, Under};
pub use list::List;
pub use looped::Loop;
pub use stairs::Stairs;
pub use tree::Tree;
pub use uneven::Uneven;
