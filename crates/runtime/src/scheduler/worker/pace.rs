//! How many jobs a worker can run within the reach of one request.

use core::cell::Cell;
use std::time::{Duration, Instant};

/// How far ahead a worker takes jobs from another. A request costs about a microsecond, so that
/// even tiny jobs pay little for it. And the jobs that one worker has taken are overtaken by those
/// that the other has kept by no more than this: the order of arrival is kept within it.
const REACH: Duration = Duration::from_micros(50);

/// How long the last jobs of a worker took.
pub(super) struct Pace {
    /// When the worker last began to work, and how many jobs it had run by then.
    began: Cell<Option<(Instant, u64)>>,
    /// The mean time of a job, in its last period of work with jobs.
    job_time: Cell<Option<Duration>>,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            began: Cell::new(None),
            job_time: Cell::new(None),
        }
    }

    /// The worker begins to work, after it had run so many `jobs`.
    pub(super) fn begin(&self, now: Instant, jobs: u64) {
        self.began.set(Some((now, jobs)));
    }

    /// The worker has run out of work, and has run so many `jobs` by now. Returns how long it
    /// worked.
    pub(super) fn end(&self, now: Instant, jobs: u64) -> Option<Duration> {
        let (began, before) = self.began.take()?;
        let worked = now.saturating_duration_since(began);
        let run = u32::try_from(jobs - before).unwrap_or(u32::MAX);
        if let Some(mean) = worked.checked_div(run) {
            self.job_time.set(Some(mean));
        }
        Some(worked)
    }

    /// How many jobs fit into the reach of a request; at least one. No limit while nothing is
    /// known.
    pub(super) fn most_jobs(&self) -> usize {
        let fit = |time: Duration| REACH.as_nanos() / time.as_nanos().max(1);
        let fit = self.job_time.get().map(fit);
        fit.map_or(usize::MAX, |fit| (fit as usize).max(1))
    }
}

#[cfg(all(test, not(any(loom, shuttle))))]
mod tests {
    use super::*;

    fn after(period: Duration, jobs: u64) -> Pace {
        let (pace, now) = (Pace::new(), Instant::now());
        pace.begin(now, 10);
        pace.end(now + period, 10 + jobs);
        pace
    }

    #[test]
    fn as_many_as_fit() {
        assert_eq!(after(Duration::from_micros(100), 100).most_jobs(), 50);
        assert_eq!(after(Duration::from_micros(100), 4).most_jobs(), 2);
    }

    #[test]
    fn long_jobs_are_taken_one_by_one() {
        assert_eq!(after(Duration::from_millis(3), 1).most_jobs(), 1);
    }

    #[test]
    fn nothing_is_known_at_first_and_nothing_is_learnt_without_jobs() {
        assert_eq!(Pace::new().most_jobs(), usize::MAX);
        let pace = after(Duration::from_millis(1), 0);
        assert_eq!(pace.most_jobs(), usize::MAX);
        pace.begin(Instant::now(), 0);
        pace.end(Instant::now(), 1_000_000);
        assert!(pace.most_jobs() > 1000, "jobs that take no time");
    }
}
