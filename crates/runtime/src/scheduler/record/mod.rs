//! The record of what a program forks: feature `profile`.
//!
//! Without the feature everything here is empty, and the compiler leaves nothing of it.

#[cfg(feature = "profile")]
mod class;
#[cfg(feature = "profile")]
mod clock;
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
pub(crate) use {
    join::Join,
    output::pool_begins,
    root::{OnTop, Origin, run},
    scope::{OpenScope, Spawned},
    section::{Entry, detached},
    task::Summary,
};

#[cfg(not(feature = "profile"))]
mod off;
#[cfg(not(feature = "profile"))]
pub(crate) use off::*;
