#![doc = include_str!("../README.md")]

pub mod asymmetric;
mod attention;
mod deque;
mod mark;
mod owner;
mod padded;
mod ring;
mod shared;
mod sync;
mod thief;

pub use attention::Attention;
pub use deque::{Place, Steal, Take, deque};
pub use owner::{Bottom, Owner};
pub use padded::Padded;
pub use thief::Thief;
