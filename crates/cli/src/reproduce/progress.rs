//! A bar on the terminal while a chapter runs, and a line when it is done.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::chapter::Chapter;

/// How far a chapter has come. The bar appears after a second, and only on a terminal: standard
/// error, so that it never mixes with results.
pub(super) struct Progress {
    bar: ProgressBar,
    label: String,
    started: Instant,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    pub(super) fn of_chapter(number: usize, chapters: usize, title: &str) -> Self {
        let label = format!("{number}/{chapters} {title}");
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        bar.set_style(
            ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len}, {eta} left")
                .expect("a valid template"),
        );
        bar.set_prefix(label.clone());
        Self {
            bar,
            label,
            started: Instant::now(),
        }
    }

    pub(super) fn expect(&self, runs: usize) {
        self.bar.set_length(runs as u64);
    }

    pub(super) fn done(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }

    /// Takes the bar away and says how the chapter went, unless the user wants JSON alone.
    pub(super) fn finish(&self, chapter: &Chapter, quiet: bool) {
        self.bar.finish_and_clear();
        if !quiet {
            let (holding, all) = chapter.count();
            let seconds = self.started.elapsed().as_secs_f64();
            // Nobody has to listen.
            let _ = writeln!(
                io::stderr(),
                "{}: {holding} of {all} claims hold, {seconds:.1} s",
                self.label
            );
        }
    }

    #[cfg(test)]
    pub(super) fn silent() -> Self {
        Self::of_chapter(1, 1, "test")
    }
}
