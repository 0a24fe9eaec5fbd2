#![doc = include_str!("../README.md")]

pub mod asymmetric;
mod deque;
mod padded;
mod sync;

pub use deque::{Owner, Place, Steal, Take, Thief, deque};
pub use padded::Padded;
