//! Workload × runtime: filch beside its peers, and always beside the serial program.
//!
//! Each function here is the whole of a program; the README says how to run them and how to read
//! what they print.

mod bridge;
mod clock;
mod crowd;
mod host;
mod instructions;
mod matrix;
mod multiprogrammed;
mod output;
mod runtimes;
mod sampling;
mod simulators;
mod splitmix;
mod waiting;
mod workloads;

pub use bridge::bridge;
pub use crowd::crowd;
pub use instructions::instructions;
pub use matrix::matrix;
pub use multiprogrammed::multiprogrammed;
pub use simulators::{farm, machine, natural};
pub use waiting::waiting;
