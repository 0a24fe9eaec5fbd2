//! What a chapter is told.

use std::num::NonZero;

use filch_random::Seed;

use super::Scale;
use crate::{Progress, parallel};

/// What a chapter is told.
pub struct Setting<'a> {
    /// How much to run.
    pub scale: Scale,
    /// What all randomness comes from.
    pub seed: Seed,
    threads: NonZero<usize>,
    progress: &'a dyn Progress,
}

impl<'a> Setting<'a> {
    /// Runs on all cores.
    pub fn new(scale: Scale, seed: Seed, progress: &'a dyn Progress) -> Self {
        Self {
            scale,
            seed,
            threads: parallel::threads(),
            progress,
        }
    }

    /// The same on `threads` threads. Only measured chapters depend on their number.
    pub fn with_threads(self, threads: NonZero<usize>) -> Self {
        Self { threads, ..self }
    }

    /// Announces how many runs will be made.
    pub fn expect(&self, runs: usize) {
        self.progress.expect(runs);
    }

    /// One of the announced runs is done.
    pub fn tick(&self) {
        self.progress.done();
    }

    /// Makes `count` independent runs on all cores; the results come in order.
    pub fn runs<T: Send>(&self, count: usize, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
        parallel::map(count, self.threads, |index| {
            let value = run(index as u64);
            self.progress.done();
            value
        })
    }

    /// The same for runs that turn out to be needed and were not announced: they do not count as
    /// progress.
    pub fn more_runs<T: Send>(&self, count: usize, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
        parallel::map(count, self.threads, |index| run(index as u64))
    }
}
