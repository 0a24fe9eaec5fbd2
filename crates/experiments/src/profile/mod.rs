//! What is concluded from a profile: where the work is, what is in the way, and what the program
//! would do on other machines.
//!
//! A [`Profile`](filch_profile::Profile) holds tasks that are alike once. Everything here is
//! computed on that shared form: sizes from the leaves up ([`Sizes`]), occurrences and the critical
//! path from the roots down, never by unrolling the dag.

mod analysis;
mod critical_path;
mod occurrences;
mod outermost;
mod sites;
mod sizes;
mod timeline;

pub use analysis::{Analysis, Grain, Total};
pub use critical_path::{CriticalPath, OnPath};
pub use sites::SiteFigures;
pub use sizes::{Size, Sizes};
pub use timeline::{Phase, Timeline};

#[cfg(test)]
mod testing;
