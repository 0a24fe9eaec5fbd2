//! The record of what a program forks: feature `profile`.
//!
//! Without the feature `off.rs` stands here, in which everything is empty: the compiler leaves
//! nothing of it.
//!
//! A *task* is what one closure does. Each thread has a stack of the tasks that it is in
//! (`state.rs`). A strand of the innermost one runs between two readings of the clock (`clock.rs`):
//! it ends where the task forks, waits or is interrupted by a job on top. So waiting, stealing and
//! other jobs are in no strand, and neither is recording, but for the readings themselves. What
//! these add was measured before (`costs.rs`, `trial.rs`) and is subtracted.
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
//! file that `FILCH_PROFILE` names in pauses of the program's clock (`timeline.rs`), which begins
//! with the process (`beginning.rs`), `pool.rs` is for programs that profile themselves. How much
//! processor time the program got is asked of the system (`usage.rs`).

mod beginning;
mod class;
mod clock;
mod coarse;
mod costs;
mod counted;
mod join;
mod node;
mod output;
mod pool;
mod root;
mod scope;
mod section;
mod site;
mod sites;
mod snapshot;
mod stack;
mod state;
mod store;
mod stretches;
mod table;
mod task;
mod timeline;
mod trial;
mod usage;

pub(crate) use {
    counted::counted,
    join::{Join, JoinRecord},
    output::pool_begins,
    root::{OnTop, Origin, run},
    scope::{OpenScope, Spawned},
    section::{Entry, detached},
    task::Summary,
};

#[cfg(all(test, not(shuttle)))]
mod tests;
