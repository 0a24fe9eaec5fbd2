//! The record of what a program forks: feature `profile`.
//!
//! Without the feature everything here is empty, and the compiler leaves nothing of it.
//!
//! A *task* is what one closure does. Each thread has a stack of the tasks that it is in
//! (`state.rs`). A strand of the innermost one runs between two readings of the clock (`clock.rs`):
//! it ends where the task forks, waits or is interrupted by a job on top. So waiting, stealing and
//! other jobs are in no strand. What recording itself adds to a strand was measured before
//! (`costs.rs`) and is subtracted.
//!
//! When a task ends, its work, span, path and forks are known from its strands and from its
//! children, as `filch_profile::Dag` composes them. They are exact, and are passed on to the
//! parent: on the same thread (`join.rs`), by a thief with the result of the closure (`root.rs`),
//! or through a slot if the parent may have ended (`node.rs`, for children of scopes). The task
//! itself is replaced by the first one of its class (`class.rs`). Classes are looked up in a table
//! of the thread (`table.rs`), and only new ones in the store of the process (`store.rs`). Forks
//! that are too fine to be timed are counted (`coarse.rs`).
//!
//! A *site* is a place that forks (`site.rs`, `sites.rs`). Its stack is read once (`stack.rs`).
//!
//! A recording is of the whole process. `snapshot.rs` makes profiles of it, `output.rs` writes the
//! file that `FILCH_PROFILE` names in pauses of the program's clock (`timeline.rs`), `pool.rs` is
//! for programs that profile themselves.

#[cfg(feature = "profile")]
mod class;
#[cfg(feature = "profile")]
mod clock;
#[cfg(feature = "profile")]
mod coarse;
#[cfg(feature = "profile")]
mod costs;
#[cfg(feature = "profile")]
mod join;
#[cfg(feature = "profile")]
mod node;
#[cfg(feature = "profile")]
mod output;
#[cfg(feature = "profile")]
mod pool;
#[cfg(feature = "profile")]
mod root;
#[cfg(feature = "profile")]
mod scope;
#[cfg(feature = "profile")]
mod section;
#[cfg(feature = "profile")]
mod site;
#[cfg(feature = "profile")]
mod sites;
#[cfg(feature = "profile")]
mod snapshot;
#[cfg(feature = "profile")]
mod stack;
#[cfg(feature = "profile")]
mod state;
#[cfg(feature = "profile")]
mod store;
#[cfg(feature = "profile")]
mod stretches;
#[cfg(feature = "profile")]
mod table;
#[cfg(feature = "profile")]
mod task;
#[cfg(feature = "profile")]
mod timeline;

#[cfg(feature = "profile")]
pub(crate) use {
    join::Join,
    output::pool_begins,
    root::{OnTop, Origin, run},
    scope::{OpenScope, Spawned},
    section::{Entry, detached},
    task::Summary,
};

#[cfg(all(test, feature = "profile", not(shuttle)))]
mod tests;

#[cfg(not(feature = "profile"))]
mod off;
#[cfg(not(feature = "profile"))]
pub(crate) use off::*;
