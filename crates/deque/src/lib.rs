#![doc = include_str!("../README.md")]

// Indices grow with every steal and are compared without wrapping.
#[cfg(not(target_pointer_width = "64"))]
compile_error!("filch needs a target with 64-bit pointers");

pub mod asymmetric;
mod attention;
mod compare;
mod deque;
mod owner;
mod padded;
mod ring;
mod slow;
mod state;
mod sync;
mod thief;

pub use attention::Attention;
pub use deque::{Fork, Position, StealOutcome, Take, deque};
pub use owner::{Bottom, Owner};
pub use padded::Padded;
pub use thief::Thief;
