//! The progress of an experiment.

/// Listens to the progress of an experiment. The threads that make the runs call it.
pub trait Progress: Sync {
    /// The experiment consists of `runs` runs.
    fn expect(&self, runs: usize);

    /// One of the expected runs is done.
    fn done(&self);
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn expect(&self, _: usize) {}

    fn done(&self) {}
}
