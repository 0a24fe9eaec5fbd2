//! What a chapter is told, and what it is made of: values, which `filch_report` shows.

use std::num::NonZero;

use filch_random::Seed;
pub(super) use filch_report::{Axis, Cell, Chapter, Claim, Origin, Plot, Point, Series, Table};

use crate::args::Scale;
use crate::parallel;
use crate::progress::Progress;

/// What a chapter is told.
pub(super) struct Setting<'a> {
    pub(super) scale: Scale,
    pub(super) seed: Seed,
    threads: NonZero<usize>,
    progress: &'a Progress,
}

impl<'a> Setting<'a> {
    pub(super) fn new(scale: Scale, seed: Seed, progress: &'a Progress) -> Self {
        Self {
            scale,
            seed,
            threads: parallel::threads(),
            progress,
        }
    }

    #[cfg(test)]
    pub(super) fn with_threads(self, threads: usize) -> Self {
        Self {
            threads: NonZero::new(threads).expect("at least one thread"),
            ..self
        }
    }

    /// Announces how many runs will be made, so that the progress bar can tell the time left.
    pub(super) fn expect(&self, runs: usize) {
        self.progress.expect(runs);
    }

    /// One of the announced runs is done.
    pub(super) fn tick(&self) {
        self.progress.done();
    }

    /// Makes `count` independent runs on all cores; the results come in order.
    pub(super) fn runs<T: Send>(&self, count: usize, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
        parallel::map(count, self.threads, |index| {
            let value = run(index as u64);
            self.progress.done();
            value
        })
    }
}
