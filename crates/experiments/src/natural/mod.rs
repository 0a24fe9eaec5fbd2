//! BFG's process: replications, and what they show.
//!
//! A [`Process`] is what is run, a [`Replication`] one run of it, a [`Conclusion`] what several runs
//! show together. A [`Study`] makes runs of a given length on all cores; [`Settled`] finds how long
//! they have to be. [`throughput`] is the rule for constant steal amounts that `docs/natural.md`
//! explains.

mod conclusion;
mod process;
mod recovery;
mod replication;
mod saturation;
mod settled;
mod study;

pub use conclusion::Conclusion;
pub use process::Process;
pub use recovery::{Recovery, recovery};
pub use replication::{Replication, RunLength};
pub use saturation::throughput;
pub use settled::{Effort, Settled};
pub use study::Study;
