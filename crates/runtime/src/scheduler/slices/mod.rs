//! Work on the items of a slice.

mod reduce;

pub use reduce::{map_reduce, reduce};
