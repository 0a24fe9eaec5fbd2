//! Everything but latches, sleeping and the primitives under them, which loom models alone: jobs, workers, pools,
//! and the functions that users call.

mod api;
mod blocks;
mod broadcast;
mod call;
mod detached;
mod fifo;
mod handle;
mod install;
#[doc(hidden)]
pub mod internals;
mod job;
mod metrics;
mod pending;
mod pool;
mod process;
mod queue;
mod scope;
mod scope_fifo;
mod words;
mod worker;

pub use api::*;
