//! What is concluded from a profile: where the work is, what is in the way, and what the program
//! would do on other machines.
//!
//! A [`Profile`](filch_profile::Profile) holds tasks that are alike once. Everything here is
//! computed on that shared form: sizes from the leaves up ([`Sizes`]), occurrences and the critical
//! path from the roots down, never by unrolling the dag.

mod analysis;
mod costs;
mod critical_path;
mod cut_off;
mod disturbance;
mod export;
mod flame;
mod lines;
mod longest_path;
mod occurrences;
mod outermost;
mod prediction;
mod section;
mod sites;
mod sizes;
mod timeline;
mod what_if;

pub use analysis::{Analysis, Grain, Total};
pub use costs::{Costs, Measured, PATIENCE, SEARCH};
pub use critical_path::{CriticalPath, OnPath};
pub use cut_off::CutOff;
pub use disturbance::disturbance;
pub use export::{ExportError, Exported};
pub use flame::{Flame, FlameNode};
pub use lines::one_site_per_line;
pub use prediction::{BOUND, LEAST_SHARE, Predicted, Prediction};
pub use section::only_section;
pub use sites::SiteFigures;
pub use sizes::{Size, Sizes};
pub use timeline::{Phase, Timeline};
pub use what_if::WhatIf;

#[cfg(test)]
mod testing;
