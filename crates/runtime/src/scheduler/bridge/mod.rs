//! The bridge to asynchronous code: jobs that are awaited, and how many of them may wait.
//!
//! Nothing here knows an executor. A job's end wakes the [`Waker`](core::task::Waker) of the task
//! that awaits it, from the worker that ran the job; no thread waits in between.

mod budget;
mod handle;
mod intake;
mod permits;
mod quota;
mod run;
mod sending;

pub use budget::{CoreBudget, Cores, NoCores};
pub use intake::{Admission, Intake, Permit, Refused};
pub use run::Run;
pub(crate) use sending::Sending;
