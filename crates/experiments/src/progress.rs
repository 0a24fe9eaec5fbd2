//! How far an experiment has come.

/// Hears how far an experiment has come. The calls come from the threads that make the runs.
pub trait Progress: Sync {
    /// So many runs will be made. It may be told again, if an experiment learns of more.
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
