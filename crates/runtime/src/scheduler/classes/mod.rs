//! Classes of jobs: which of those that wait begins first.

mod lanes;
mod line;
mod spawn;

pub(crate) use lanes::Lanes;
pub use line::Class;
#[cfg(feature = "async")]
pub(crate) use spawn::spawn_in;
