//! The chapters, one file each. A new one is a file here and a line in [`CHAPTERS`].

mod dags;
mod decisions;
mod estimators;
mod farm;
mod jiq;
mod natural;
mod open_question;
mod runtime;

use super::chapter::{Chapter, Setting};

/// A chapter that can be written.
pub(super) struct Entry {
    pub(super) title: &'static str,
    pub(super) write: fn(&Setting<'_>) -> Chapter,
}

/// All chapters, in the order of the report.
pub(super) const CHAPTERS: &[Entry] = &[
    Entry {
        title: decisions::TITLE,
        write: decisions::write,
    },
    Entry {
        title: estimators::TITLE,
        write: estimators::write,
    },
    Entry {
        title: dags::TITLE,
        write: dags::write,
    },
    Entry {
        title: natural::TITLE,
        write: natural::write,
    },
    Entry {
        title: open_question::TITLE,
        write: open_question::write,
    },
    Entry {
        title: farm::TITLE,
        write: farm::write,
    },
    Entry {
        title: jiq::TITLE,
        write: jiq::write,
    },
    Entry {
        title: runtime::TITLE,
        write: runtime::write,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Scale;
    use crate::progress::Progress;
    use filch_random::Seed;

    fn write(chapter: &Entry, scale: Scale, threads: usize) -> Chapter {
        let progress = Progress::of("test".into());
        let setting = Setting::new(scale, Seed::new(1), &progress).with_threads(threads);
        (chapter.write)(&setting)
    }

    /// The same seed gives the same bytes on any number of threads, except for what is measured.
    #[test]
    fn repeatable_on_any_number_of_threads() {
        for chapter in CHAPTERS {
            let [one, three] = [1, 3].map(|threads| write(chapter, Scale::Sketch, threads));
            assert!(one.measured || one == three, "{}", one.id);
        }
    }

    /// What is said of our own tools holds at any scale.
    #[test]
    fn our_own_claims_hold() {
        let ours = [decisions::TITLE, estimators::TITLE, runtime::TITLE];
        for chapter in CHAPTERS
            .iter()
            .filter(|chapter| ours.contains(&chapter.title))
        {
            for claim in write(chapter, Scale::Quick, 2).claims {
                assert!(claim.holds, "{}: {claim:?}", chapter.title);
            }
        }
    }

    /// Plots are files of one folder, so their names must differ, and be names.
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
