//! Computations on P processors: what BL99 and ABP01 promise.
//!
//! All bounds are functions of a few measures of a computation ([`Hypotheses`]): work T1, span
//! Tinf, stack depth S1, and for communication nd and Smax. A bound that is a whole number is an
//! integer of any size; any other bound is a float.
//!
//! ```
//! use filch_theory::machine::{Hypotheses, greedy, linear_space, steal_attempts};
//!
//! // fib:32 on 64 processors.
//! let fib = Hypotheses {
//!     work: 17_622_886,
//!     span: 64,
//!     stack_depth: 32,
//!     nd: 1,
//!     largest_frame: 1,
//!     processors: 64,
//! };
//! assert_eq!(greedy::time(&fib), 275_421.59375);
//! assert_eq!(linear_space::space(&fib), 2048u32.into());
//! assert_eq!(steal_attempts::expected_phases(&fib), 2048u32.into());
//! ```

pub mod balls_and_bins;
pub mod busy_leaves;
pub mod communication;
pub mod delay_sequence;
pub mod greedy;
mod hypotheses;
pub mod k_strict;
pub mod linear_space;
pub mod lower;
pub mod multiprogrammed;
pub mod potential;
pub mod recycling;
pub mod steal_attempts;
pub mod stealing_time;

pub use hypotheses::Hypotheses;
