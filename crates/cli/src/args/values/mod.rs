//! The types of what is typed: numbers within their range, and names with their forms.
//!
//! Each reads itself from text. What it says about a bad value follows the name of the argument on
//! the line that a user reads (see [`complaint`](super::complaint)).

mod choice;
mod loads;
mod name;
mod number;
mod policies;

pub(crate) use choice::{adversary, next, order, pop_top, scheduler, victim};
pub(crate) use loads::{Loads, MOST as MOST_LOADS, load};
pub(crate) use name::{family, nearest, placement, steal_function};
pub(super) use number::real;
pub(crate) use number::{Fraction, Positive, Whole};
pub(crate) use policies::{PolicyList, distinct, policies};

/// The largest number of jobs that a float holds exactly, which is what estimators take.
pub(crate) const MOST_JOBS: u64 = 1 << 53;
