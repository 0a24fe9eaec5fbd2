//! A profile: what was recorded of one run of a parallel program.
//!
//! The runtime records it, `experiments` draws conclusions from it, `report` shows it. This crate
//! is what they share: the values and their [file](mod@file), and nothing that measures, computes
//! or prints.
//!
//! A program enters the scheduler in [`Section`]s. A section is a computation that forks and joins,
//! and its dag is a tree of [`Task`]s: what one closure does from its first instruction to its
//! last. Tasks that are alike are stored once ([`Dag`]), so that a profile of 10⁸ forks stays
//! small.
//!
//! ```
//! use filch_profile::{Dag, Duration, SiteId, Step, Task};
//!
//! let mut dag = Dag::default();
//! let leaf = dag.add(Task::new(vec![Step::Work(Duration::from_nanos(100))]));
//! let join = Step::Join { site: SiteId(0), first: leaf, second: leaf };
//! let root = dag.add(Task::new(vec![Step::Work(Duration::from_nanos(10)), join]));
//! assert_eq!(dag.measures(root).work, Duration::from_nanos(210));
//! assert_eq!(dag.measures(root).span, Duration::from_nanos(110));
//! ```

mod dag;
mod duration;
pub mod file;
mod measures;
mod program;
mod section;
mod site;
mod stretch;
mod usage;

pub use dag::{Dag, Step, Task, TaskId};
pub use duration::Duration;
pub use file::ReadError;
pub use measures::Measures;
pub use program::{Ending, Program, Recording};
pub use section::Section;
pub use site::{Frame, Kind, Site, SiteId};
pub use stretch::{Stretch, StretchId};
pub use usage::Usage;

/// What was recorded of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// What ran, and on what.
    pub program: Program,
    /// What recording did to it.
    pub recording: Recording,
    /// The places in the program that fork, by [`SiteId`].
    pub sites: Vec<Site>,
    /// The tasks of all sections.
    pub dag: Dag,
    /// The sections in the order in which they were entered.
    pub sections: Vec<Section>,
    /// Which worker ran what from when to when, by [`StretchId`]: the first ones of the run, as
    /// many as [`Recording::stretches_kept`] says.
    pub stretches: Vec<Stretch>,
}
