use super::{CancelToken, Cancelled};
use crate::scheduler::slices::PIECES;

impl CancelToken {
    /// Runs `work` on each item of a slice, in parallel, as long as the token is not cancelled. It
    /// is asked before every item.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// let (token, sum) = (filch::CancelToken::new(), AtomicU64::new(0));
    /// let add = |n: &u64| _ = sum.fetch_add(*n, Ordering::Relaxed);
    /// assert_eq!(token.for_each(&[1, 2, 3], add), Ok(()));
    /// token.cancel();
    /// assert_eq!(token.for_each(&[4, 5], add), Err(filch::Cancelled));
    /// assert_eq!(sum.load(Ordering::Relaxed), 6);
    /// ```
    ///
    /// # Errors
    ///
    /// If the token was cancelled before the last item began.
    ///
    /// # Panics
    ///
    /// With the payload of `work`, if it panics.
    pub fn for_each<T, F>(&self, items: &[T], work: F) -> Result<(), Cancelled>
    where
        T: Sync,
        F: Fn(&T) + Sync,
    {
        let piece = items.len().div_ceil(PIECES).max(1);
        self.each_of(items, piece, &work)
    }

    fn each_of<T, F>(&self, items: &[T], piece: usize, work: &F) -> Result<(), Cancelled>
    where
        T: Sync,
        F: Fn(&T) + Sync,
    {
        if items.len() <= piece {
            return items.iter().try_for_each(|item| {
                self.check()?;
                work(item);
                Ok(())
            });
        }
        let (left, right) = items.split_at(items.len() / 2);
        let half = |half| move || self.each_of(half, piece, work);
        let (left, right) = self.join(half(left), half(right))?;
        left.and(right)
    }
}
