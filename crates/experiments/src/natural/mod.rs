//! BFG03's process: replications, and the conclusions from them.
//!
//! A [`Process`] is the description, a [`Replication`] is one run of it, and a [`Conclusion`] has
//! the estimates from several runs. A [`Study`] makes runs of a given length on all cores.
//! [`Settled`] finds a sufficient length first. [`Recovery`] is the time to return from a large
//! load to the mean. [`ProcessBounds`] are what the theorems say, [`LoadLimit`] is the load as n →
//! ∞. [`throughput`] is the saturation throughput, which decides on the stability of constant steal
//! amounts (`docs/natural.md`).

mod bounds;
mod conclusion;
mod large_number;
mod load_limit;
mod process;
mod recovery;
mod replication;
mod saturation;
mod settled;
mod study;

pub use bounds::{
    CheckedHypothesis, DefinedConstants, ProcessBounds, PromisedLoad, PromisedTail, Theorem22Check,
};
pub use conclusion::Conclusion;
pub use large_number::LargeNumber;
pub use load_limit::LoadLimit;
pub use process::Process;
pub use recovery::{Recovery, recovery};
pub use replication::{Replication, RunLength};
pub use saturation::throughput;
pub use settled::{Effort, Settled};
pub use study::Study;
