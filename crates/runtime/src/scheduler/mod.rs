//! Jobs, workers, pools, and the functions that users call: everything above latches and sleeping,
//! which are all that loom models.

mod api;
mod blocks;
#[cfg(feature = "async")]
mod bridge;
mod broadcast;
mod call;
mod cancel;
mod classes;
mod detached;
mod fifo;
mod handle;
mod install;
#[doc(hidden)]
pub mod internals;
mod job;
mod metrics;
mod needs;
#[cfg(feature = "random")]
mod pedigree;
mod pending;
mod pool;
mod process;
mod queue;
#[cfg(feature = "profile")]
mod record;
#[cfg(not(feature = "profile"))]
#[path = "record/off.rs"]
mod record;
mod scope;
mod scope_fifo;
mod slices;
mod worker;
mod worker_local;

pub use api::*;
