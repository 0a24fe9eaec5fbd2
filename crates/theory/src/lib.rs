//! What the papers promise, one theorem a file: statement, hypotheses, citation, function.
//!
//! Start with the system that you have:
//!
//! | system | module | what is promised |
//! |---|---|---|
//! | a computation on P processors | [`machine`] | time, space, steal attempts and communication, expected and with high probability |
//! | processors that generate jobs and steal from each other | [`natural`] | whether the process is stable, and how large its load can be |
//! | servers behind a dispatcher | [`farm`] | stability of Persistent-Idle, its messages, its drift |
//! | either of the last two, with ever more processors | [`limit`] | the mean-field limit: the share of processors by queue length |
//! | other ways to balance, for comparison | [`rivals`] | what their papers say of them |
//!
//! A bound is a function of its hypotheses. For a greedy schedule (BL99, Theorem 1) these are the
//! work and the span of a computation:
//!
//! ```
//! use filch_theory::machine::{Hypotheses, greedy};
//!
//! let given = Hypotheses {
//!     work: 1_000_000,
//!     span: 200,
//!     stack_depth: 12,
//!     nd: 1,
//!     largest_frame: 1,
//!     processors: 64,
//! };
//! assert_eq!(greedy::time(&given), 1_000_000.0 / 64.0 + 200.0);
//! ```
//!
//! In the limit of many servers, two random choices instead of one shorten the tail of the queues
//! from ρ^k to ρ^(2^k − 1):
//!
//! ```
//! use filch_theory::limit::supermarket_tail;
//!
//! let share_of_servers_with_5_jobs = |choices| supermarket_tail(0.9, choices, 5);
//! assert!((share_of_servers_with_5_jobs(1) - 0.9f64.powi(5)).abs() < 1e-12);
//! assert!((share_of_servers_with_5_jobs(2) - 0.9f64.powi(31)).abs() < 1e-12);
//! ```
//!
//! No simulation, no random numbers: the same hypotheses always give the same bound. Where a bound
//! overflows a float, it is an exact integer.

pub mod farm;
pub mod limit;
pub mod machine;
pub mod natural;
pub mod rivals;
