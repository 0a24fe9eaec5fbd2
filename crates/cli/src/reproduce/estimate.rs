//! How long the rest of a run will take.

use std::time::Duration;

use filch_experiments::chapters::{CHAPTERS, Scale};

/// What is known of this machine's speed while a run goes on.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    /// Processor seconds that the chapters so far were expected to take, and took.
    expected: f64,
    took: f64,
}

impl Estimate {
    /// The chapter numbered `at` took so long on `threads` threads.
    pub(super) fn learn(&mut self, at: usize, scale: Scale, took: Duration, threads: usize) {
        self.expected += CHAPTERS[at].processor_seconds(scale);
        self.took += took.as_secs_f64() * threads as f64;
    }

    /// How long the chapters from `at` on will take: their processor seconds on the machine that
    /// they were measured on, times how much slower this one was so far.
    pub(super) fn left(&self, at: usize, scale: Scale, threads: usize) -> Duration {
        let chapters = CHAPTERS[at..].iter();
        let expected: f64 = chapters
            .map(|chapter| chapter.processor_seconds(scale))
            .sum();
        // Little is learnt from short chapters.
        let slower = (self.took + 10.0) / (self.expected + 10.0);
        Duration::from_secs_f64(expected * slower / threads as f64)
    }
}

/// A time in words: `about 2 h 5 min`, `about 4 min`, `less than a minute`.
pub(super) fn words(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60);
    match (minutes / 60, minutes % 60) {
        (0, 0 | 1) => "less than a minute".to_owned(),
        (0, minutes) => format!("about {minutes} min"),
        (hours, minutes) => format!("about {hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_words() {
        let words = |seconds| words(Duration::from_secs(seconds));
        assert_eq!(words(20), "less than a minute");
        assert_eq!(words(200), "about 4 min");
        assert_eq!(words(7500), "about 2 h 5 min");
    }

    /// Twice as slow so far, so about twice as long to come.
    #[test]
    fn a_slow_machine_is_noticed() {
        let mut estimate = Estimate::default();
        let before = estimate.left(1, Scale::Full, 2);
        let first = CHAPTERS[0].processor_seconds(Scale::Full);
        let slow = Duration::from_secs_f64(first.max(1000.0));
        estimate.learn(0, Scale::Full, slow, 2);
        assert!(estimate.left(1, Scale::Full, 2) > before);
    }
}
