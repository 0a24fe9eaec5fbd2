//! BFG03's process: replications, and the conclusions from them.
//!
//! A [`Process`] is the description, a [`Replication`] is one run of it, and a [`Conclusion`] has
//! the estimates from several runs. A [`Study`] makes runs of a given length on all cores.
//! [`Settled`] finds a sufficient length first. [`Recovery`] is the time to return from a large
//! load to the mean. [`throughput`] is the saturation throughput, which decides on the stability of
//! constant steal amounts (`docs/natural.md`).

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
