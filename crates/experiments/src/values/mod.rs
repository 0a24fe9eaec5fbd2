//! What a report is made of: plain values, which `filch-report` shows.

mod chapter;
mod outcome;
mod plot;
mod report;

pub use chapter::{Cell, Chapter, Claim, Table};
pub use outcome::{Count, Outcome};
pub use plot::{Axis, Origin, Plot, Point, Series};
pub use report::{Report, Schedule};
