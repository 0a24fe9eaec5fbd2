//! What the papers promise, one theorem a file: statement, hypotheses, citation, function.
//!
//! No simulation, no random numbers: the same hypotheses always give the same bound. Where a bound
//! overflows a float, it is an exact integer.

pub mod farm;
pub mod limit;
pub mod machine;
pub mod natural;
pub mod rivals;
