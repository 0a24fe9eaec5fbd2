//! A profile for people to look at, and for the viewers of others.
//!
//! [`page`] is one HTML file that needs nothing else: the speed-up curve, the sites, the critical
//! path, flame graphs by work and by span, and the schedule of a small run. [`perfetto`],
//! [`folded`] and [`firefox`] write what Perfetto, inferno and the Firefox Profiler read. In all of
//! them what a thief has run lies under the site that forked it, or is linked to it.

mod firefox;
mod flame;
mod folded;
mod page;
mod perfetto;
mod place;
mod schedule;
mod speed_up;
mod tables;
mod time;

use filch_experiments::profile::{Analysis, Flame, Prediction};
use filch_profile::Profile;

pub use self::firefox::firefox;
pub use self::folded::folded;
pub use self::page::page;
pub use self::perfetto::perfetto;
pub use self::place::{has_function, has_line, kind, place};
pub use self::time::{per_cent, time};

/// What is shown of a profile.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// What was recorded.
    pub profile: &'a Profile,
    /// What it says by itself.
    pub analysis: &'a Analysis,
    /// What the program would do on other numbers of processors.
    pub prediction: &'a Prediction,
    /// The times by chains of sites.
    pub flame: &'a Flame,
    /// What a reader should know or could do, a sentence each.
    pub hints: &'a [String],
    /// A command that shows this profile.
    pub command: &'a str,
}

#[cfg(test)]
mod tests;
