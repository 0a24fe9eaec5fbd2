//! A bar on the terminal while something takes long.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How far a command or a chapter has come. The bar appears after a second, and only on a terminal:
/// standard error, so that it never mixes with results.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Nothing is expected yet.
    pub(crate) fn of(label: String) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        bar.set_style(
            ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len}, {eta} left")
                .expect("a valid template"),
        );
        bar.set_prefix(label);
        Self {
            bar,
            started: Instant::now(),
        }
    }

    /// So many runs will be made, so that the bar can tell the time left.
    pub(crate) fn expect(&self, runs: usize) {
        self.bar.set_length(runs as u64);
    }

    /// One of the expected runs is done.
    pub(crate) fn done(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Takes the bar away; says how long it all took.
    pub(crate) fn finish(&self) -> Duration {
        self.bar.finish_and_clear();
        self.started.elapsed()
    }
}
