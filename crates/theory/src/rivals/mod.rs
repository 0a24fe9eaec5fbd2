//! What is promised of the rivals of the natural process.
//!
//! BFG03 section 1.2 sums up three papers that balance differently. None of their full texts was at
//! hand: each file says what its statement was taken from. Where a statement has an unnamed
//! constant, the function gives the least constant for which a run is within the statement.

pub mod factor;
pub mod inverse;
pub mod two_choices;
