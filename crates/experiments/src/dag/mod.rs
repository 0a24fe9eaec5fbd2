//! Computations on P simulated processors, and the bounds of BL99 and ABP01.
//!
//! [`Executions`] run one computation on one machine many times and can check every step. A
//! [`Summary`] has the totals and the [`DagBounds`] to compare them with. A [`KernelStudy`] runs a
//! computation on a kernel that takes processors away.
//!
//! ```
//! use filch_experiments::Silent;
//! use filch_experiments::dag::Executions;
//! use filch_random::Seed;
//! use filch_sim::machine::{Machine, Scheduler};
//! use filch_workload::dag::Family;
//!
//! let family: Family = "fib:12".parse()?;
//! let executions = Executions {
//!     computation: &family.computation(),
//!     measures: &family.measures(),
//!     machine: Machine::new(Scheduler::Stealing, 8),
//!     runs: 20,
//!     check: true,
//!     seed: Seed::new(1),
//! };
//! let outcomes = executions.outcomes(&Silent)?;
//! let summary = executions.summary("fib:12", &outcomes);
//! assert!(summary.time.mean < summary.bounds.greedy_time + 2.0 * summary.bounds.span as f64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod executions;
mod hypotheses;
mod k_strict;
mod kernel_study;
mod promised;
mod stacks;
mod summary;

pub use bounds::{DagBounds, WholeNumber};
pub use executions::{BrokenPromise, Executions, bytes_of_a_run};
pub use hypotheses::hypotheses;
pub use k_strict::KStrictBounds;
pub use kernel_study::{KernelStudy, KernelSummary};
pub use promised::Promised;
pub use stacks::StacksSummary;
pub use summary::{Summary, TimeSpread};
