//! Recordings by the clock of the tests, which stands still unless a closure [works](work). So all
//! numbers are exact, whatever the machine does and whichever thread runs what.

mod coarse;
mod joins;
mod scopes;
mod sections;

use std::sync::{Mutex, MutexGuard, PoisonError};

use filch_profile::{Profile, Section};

use super::clock::work;
use super::state::State;
use crate::Pool;

/// Work, span and forks of a computation, in nanoseconds.
type Measured = (u64, u64, u64);

/// One recording at a time: they share the store.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The sections that this thread has entered. Other tests run at the same time.
fn own_sections(profile: &Profile) -> Vec<&Section> {
    let caller = State::with(|state| state.thread).unwrap();
    let sections = profile.sections.iter();
    sections
        .filter(|section| section.caller == caller)
        .collect()
}

fn measured(section: &Section) -> Measured {
    let measures = section.measures;
    (
        measures.work.picos() / 1000,
        measures.span.picos() / 1000,
        measures.forks,
    )
}

/// Records `program` on a pool of that many workers: its result, and the profile.
fn record<R: Send>(workers: usize, program: impl FnOnce() -> R + Send) -> (R, Profile) {
    let _alone = alone();
    let pool = Pool::new(workers).unwrap();
    pool.profile(program)
}

/// What the one section of `program` measures, on one worker and on four.
fn check(expected: Measured, program: impl Fn() + Sync) {
    for workers in [1, 4] {
        let ((), profile) = record(workers, &program);
        let sections = own_sections(&profile);
        assert_eq!(sections.len(), 1);
        assert_eq!(measured(sections[0]), expected, "{workers} workers");
        assert_eq!(sections[0].measures.path, sections[0].measures.span);
    }
}
