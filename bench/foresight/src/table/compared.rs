//! A time beside the one that it should be.

use std::time::Duration;

/// A value that was found beside the one that it should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    pub(super) found: Duration,
    pub(super) should_be: Duration,
}

impl Compared {
    /// The one with the median error.
    pub(super) fn median(mut all: Vec<Self>) -> Self {
        all.sort_by(|a, b| a.error().total_cmp(&b.error()));
        all[all.len() / 2]
    }

    /// By which share it is too large or too small.
    pub(super) fn error(self) -> f64 {
        self.found.as_secs_f64() / self.should_be.as_secs_f64() - 1.0
    }

    pub(super) fn misses(self, goal: f64) -> bool {
        self.error().abs() > goal
    }

    /// As cells: found, should be, error.
    pub(super) fn cells(self, goal: f64) -> [String; 3] {
        let error = format!("{:+.1} %", 100.0 * self.error());
        let mark = if self.misses(goal) { " !" } else { "" };
        [
            millis(self.found),
            millis(self.should_be),
            format!("{error}{mark}"),
        ]
    }
}

fn millis(time: Duration) -> String {
    format!("{:.3} ms", 1e3 * time.as_secs_f64())
}
