//! Equal servers in continuous time, and the limits of many.
//!
//! A [`FleetStudy`] runs a dispatch policy in front of n equal servers with exponential service
//! times ([`filch_sim::fleet`]); [`limit_of`] is what it comes to as n → ∞, for the policies whose
//! limit is known.

mod known_limit;
mod study;

pub use known_limit::limit_of;
pub use study::{FleetEstimates, FleetRun, FleetStudy};
