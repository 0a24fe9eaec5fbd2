use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use filch_profile::Profile;

use super::snapshot;
use crate::scheduler::pool::Pool;

impl Pool {
    /// Records what `work` forks: runs it as [`install`](Self::install) does, and returns its result
    /// and a profile. Only with the feature `profile`.
    ///
    /// What other threads hand to this pool or another one meanwhile is recorded too. If several
    /// recordings are under way at a time, a profile has the sections that were entered since its
    /// own began; sites and tasks are those of all.
    ///
    /// ```
    /// fn sum(numbers: &[u64]) -> u64 {
    ///     if let [number] = numbers {
    ///         return *number;
    ///     }
    ///     let (left, right) = numbers.split_at(numbers.len() / 2);
    ///     let (left, right) = filch::join(|| sum(left), || sum(right));
    ///     left + right
    /// }
    ///
    /// let pool = filch::Pool::new(2)?;
    /// let (result, profile) = pool.profile(|| sum(&[1, 2, 3, 4]));
    /// assert_eq!(result, 10);
    /// assert_eq!(profile.sections.len(), 1);
    /// let measures = profile.sections[0].measures;
    /// assert_eq!(measures.forks, 3);
    /// assert!(measures.span <= measures.work);
    /// # Ok::<(), filch::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// With the payload of `work`, if it panics.
    pub fn profile<F, R>(&self, work: F) -> (R, Profile)
    where
        F: FnOnce() -> R + Send,
        R: Send,
    {
        self.profile_here(|| self.install(work))
    }

    /// Records what this thread and others hand to pools while `work` runs on this thread.
    pub(super) fn profile_here<R>(&self, work: impl FnOnce() -> R) -> (R, Profile) {
        let began = snapshot::begin();
        snapshot::pool_used(self.threads());
        let result = catch_unwind(AssertUnwindSafe(work));
        let profile = snapshot::end(&began);
        match result {
            Ok(result) => (result, profile),
            Err(panic) => resume_unwind(panic),
        }
    }
}
