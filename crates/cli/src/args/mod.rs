//! Arguments in two steps: what was typed ([`raw`], clap's business), then what it means
//! ([`checked`], ours), so that every complaint names the argument and says what to type instead.

mod checked;
mod dispatch;
mod raw;

pub(crate) use checked::{Command, Policies, Reproduce, Scale, parse};
pub(crate) use dispatch::{Demand, Dispatch, Farm};
pub(crate) use raw::RawArgs;
