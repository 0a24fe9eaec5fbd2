//! How long the rest of a run at full scale will take.

use std::time::Duration;

use filch_experiments::chapters::CHAPTERS;

/// What is known of this machine's speed while a run goes on.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    /// Processor seconds of the finished chapters where they were measured.
    expected: f64,
    /// The seconds that they took here, times the threads.
    took: f64,
}

/// So many seconds of the speed that was measured count beside what the finished chapters took:
/// little is learnt from short ones.
const TRUSTED: f64 = 10.0;

impl Estimate {
    /// The chapter numbered `at` took so many seconds, times its threads.
    pub(super) fn learn(&mut self, at: usize, seconds: f64) {
        self.expected += CHAPTERS[at].full_seconds;
        self.took += seconds;
    }

    /// How long the chapters from `at` on will take: their processor seconds on the machine that
    /// they were measured on, times how much slower this one was so far.
    pub(super) fn left(&self, at: usize, threads: usize) -> Duration {
        let expected: f64 = CHAPTERS[at..]
            .iter()
            .map(|chapter| chapter.full_seconds)
            .sum();
        let slower = (self.took + TRUSTED) / (self.expected + TRUSTED);
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

    /// Every chapter has its seconds, and without anything learnt the estimate is their sum.
    #[test]
    fn the_sum_of_all_chapters() {
        let seconds = CHAPTERS.iter().map(|chapter| chapter.full_seconds);
        assert!(seconds.clone().all(|seconds| seconds > 0.0));
        let left = Estimate::default().left(0, 1).as_secs_f64();
        assert!((left - seconds.sum::<f64>()).abs() < 1e-6);
    }

    /// Chapters that take k times their seconds leave about k times the rest, k from a quarter to
    /// four; twice the threads leave half.
    #[test]
    fn the_rest_is_as_slow_as_what_is_done() {
        let done = CHAPTERS.len() / 2;
        for slower in [0.25, 1.0, 4.0] {
            let mut estimate = Estimate::default();
            for (at, chapter) in CHAPTERS[..done].iter().enumerate() {
                estimate.learn(at, slower * chapter.full_seconds);
            }
            let expected = Estimate::default().left(done, 1).as_secs_f64() * slower;
            let [one, two] = [1, 2].map(|threads| estimate.left(done, threads).as_secs_f64());
            assert!((one / expected - 1.0).abs() < 0.1, "{one}, {expected}");
            assert!((one - 2.0 * two).abs() < 1e-6, "{one}, {two}");
        }
        assert_eq!(Estimate::default().left(CHAPTERS.len(), 1), Duration::ZERO);
    }
}
