//! The runtimes under test: how each is set up, entered and handed jobs.

mod enter;
mod filch;
#[cfg(feature = "forte")]
mod forte;
mod kind;
mod start;

pub(crate) use enter::{ForkJoinProgram, inside, outside};
pub(crate) use kind::{Caller, RuntimeKind};
pub(crate) use start::Runtime;
