//! The chapters, one file each. A new one is a file here and a line in [`CHAPTERS`].

mod decisions;
mod estimators;
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
        title: runtime::TITLE,
        write: runtime::write,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Scale;
    use crate::reproduce::progress::Progress;
    use filch_random::Seed;

    fn all(seed: u64, threads: usize) -> Vec<Chapter> {
        let progress = Progress::silent();
        let setting = Setting::new(Scale::Quick, Seed::new(seed), &progress).with_threads(threads);
        CHAPTERS
            .iter()
            .map(|chapter| (chapter.write)(&setting))
            .collect()
    }

    /// The same seed gives the same bytes on any number of threads, except for what is measured; and
    /// everything holds.
    #[test]
    fn repeatable_on_any_number_of_threads() {
        let (one, three) = (all(1, 1), all(1, 3));
        for (one, three) in one.iter().zip(&three) {
            assert!(one.measured || one == three, "{}", one.id);
        }
        for chapter in one.iter().chain(&three) {
            for claim in &chapter.claims {
                assert!(claim.holds, "{}: {claim:?}", chapter.id);
            }
        }
    }
}
