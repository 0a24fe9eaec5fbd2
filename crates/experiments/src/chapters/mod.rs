//! Everything that the papers claim, measured: the chapters of the report, one file or folder each.
//!
//! A chapter is a function from a [`Setting`] to a [`Chapter`]. A new one is a file here and a line
//! in [`CHAPTERS`]. [`begin`] gives a report without chapters yet:
//!
//! ```no_run
//! use filch_experiments::Silent;
//! use filch_experiments::chapters::{self, CHAPTERS, Scale, Setting};
//! use filch_random::Seed;
//!
//! let seed = Seed::new(1);
//! let mut report = chapters::begin(Scale::Quick, seed);
//! for chapter in CHAPTERS {
//!     report.add((chapter.write)(&Setting::new(Scale::Quick, seed, &Silent)));
//! }
//! ```

mod dags;
mod decisions;
mod estimators;
mod farm;
mod jiq;
mod models;
mod natural;
mod open_question;
mod runtime;
mod scale;
mod schedules;
mod setting;
mod significance;
mod waiting;

pub use scale::Scale;
pub use setting::Setting;

use filch_random::Seed;

use crate::values::{Chapter, Report};

/// A chapter that can be written: its title, and the experiment behind it.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    /// The heading.
    pub title: &'static str,
    /// Makes the runs and concludes from them.
    pub write: fn(&Setting<'_>) -> Chapter,
    /// About how many processor seconds it takes at the scale full, on an AMD EPYC at 2.6 GHz.
    pub full_seconds: f64,
}

/// All chapters, in the order of the report.
pub const CHAPTERS: &[Writer] = &[
    Writer {
        title: decisions::TITLE,
        write: decisions::write,
        full_seconds: 40.0,
    },
    Writer {
        title: estimators::TITLE,
        write: estimators::write,
        full_seconds: 60.0,
    },
    Writer {
        title: dags::TITLE,
        write: dags::write,
        full_seconds: 900.0,
    },
    Writer {
        title: waiting::TITLE,
        write: waiting::write,
        full_seconds: 25.0,
    },
    Writer {
        title: natural::TITLE,
        write: natural::write,
        full_seconds: 305.0,
    },
    Writer {
        title: open_question::TITLE,
        write: open_question::write,
        full_seconds: 850.0,
    },
    Writer {
        title: models::TITLE,
        write: models::write,
        full_seconds: 220.0,
    },
    Writer {
        title: farm::TITLE,
        write: farm::write,
        full_seconds: 280.0,
    },
    Writer {
        title: jiq::TITLE,
        write: jiq::write,
        full_seconds: 110.0,
    },
    Writer {
        title: runtime::TITLE,
        write: runtime::write,
        full_seconds: 20.0,
    },
];

/// A report without chapters yet. Its recorded schedules are there already.
pub fn begin(scale: Scale, seed: Seed) -> Report {
    Report {
        version: env!("CARGO_PKG_VERSION"),
        scale: scale.name(),
        seed: seed.get(),
        command: format!("filch reproduce --{} --seed {seed}", scale.name()),
        missing: CHAPTERS.iter().map(|chapter| chapter.title).collect(),
        chapters: Vec::new(),
        schedules: schedules::record(seed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use std::num::NonZero;

    fn write(chapter: &Writer, scale: Scale, threads: usize) -> Chapter {
        let threads = NonZero::new(threads).unwrap();
        let setting = Setting::new(scale, Seed::new(1), &Silent);
        (chapter.write)(&setting.with_threads(threads))
    }

    /// The same seed gives the same bytes on any number of threads, except for what is measured.
    #[test]
    fn repeatable_on_any_number_of_threads() {
        for chapter in CHAPTERS {
            let [one, three] = [1, 3].map(|threads| write(chapter, Scale::Sketch, threads));
            assert!(one.measured || one == three, "{}", one.id);
        }
    }

    /// The claims about our own tools hold at any scale.
    #[test]
    fn our_own_claims_hold() {
        let ours = [decisions::TITLE, estimators::TITLE, runtime::TITLE];
        for chapter in CHAPTERS
            .iter()
            .filter(|chapter| ours.contains(&chapter.title))
        {
            for claim in write(chapter, Scale::Quick, 2).claims {
                assert!(claim.outcome.holds(), "{}: {claim:?}", chapter.title);
            }
        }
    }

    /// Plots are files of one folder, so their names must be file names, and must differ.
    #[test]
    fn plots_have_names_of_their_own() {
        let mut ids = Vec::new();
        for chapter in CHAPTERS {
            let plots = write(chapter, Scale::Sketch, 2).plots;
            ids.extend(plots.into_iter().map(|plot| plot.id));
        }
        for id in &ids {
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(!id.is_empty() && id.bytes().all(plain), "{id}");
        }
        let all = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), all, "{ids:?}");
    }
}
