//! The names of rayon-core 1.13 over the scheduler of [`filch`].
//!
//! Programs do not depend on this crate directly. They depend on rayon, and replace its core:
//!
//! ```toml
//! [patch.crates-io]
//! rayon-core = { path = "…/filch/crates/rayon-core" }
//! ```
//!
//! Everything above then runs on filch: parallel iterators, and every crate that uses them.
//! Functions, types, environment variables (`RAYON_NUM_THREADS`) and the order in which spawned
//! work runs are those of upstream. The difference is what a worker does while it waits: it runs
//! only what it waits for. `docs/rayon.md` describes what follows from that, and where else the two
//! differ.
//!
//! This crate contains no scheduling and no unsafe code.

mod broadcast;
mod builder;
mod configuration;
mod error;
mod global;
mod join;
mod numbers;
mod pool;
mod scope;
mod spawn;
mod thread;
mod yielding;

pub use broadcast::{broadcast, spawn_broadcast};
pub use builder::ThreadPoolBuilder;
#[allow(deprecated, reason = "what is deprecated upstream is deprecated here")]
pub use configuration::{Configuration, initialize};
pub use error::ThreadPoolBuildError;
#[doc(inline)]
pub use filch::{BroadcastContext, Scope, internals::ScopeFifo};
pub use join::{FnContext, join, join_context};
pub use numbers::{current_num_threads, current_thread_index, max_num_threads};
pub use pool::ThreadPool;
pub use scope::{in_place_scope, in_place_scope_fifo, scope, scope_fifo};
pub use spawn::{spawn, spawn_fifo};
pub use thread::ThreadBuilder;
pub use yielding::{Yield, current_thread_has_pending_tasks, yield_local, yield_now};
