//! Work on the items of a slice.

mod find;
mod reduce;

pub use find::{find_any, find_first};
pub use reduce::{map_reduce, reduce};

/// A loop that may end early is halved into at most twice as many pieces: enough to balance uneven
/// items, and few enough that forks cost microseconds in all.
pub(crate) const PIECES: usize = 1024;
