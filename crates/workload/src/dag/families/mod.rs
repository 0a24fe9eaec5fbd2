//! The computations that have names.

mod chain;
mod comb;
mod fib;
pub(super) mod figure1;
mod fork;
mod looped;
pub(super) mod random;
mod tree;

pub use chain::Chain;
pub use comb::Comb;
pub use fib::Fib;
pub use looped::Loop;
pub use tree::Tree;
