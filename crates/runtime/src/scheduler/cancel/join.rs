use super::{CancelToken, Cancelled};

impl CancelToken {
    /// [`join`](crate::join) of closures that run only if the token is not cancelled when they
    /// begin.
    ///
    /// # Errors
    ///
    /// If a closure did not run. The result of the other is dropped.
    ///
    /// # Panics
    ///
    /// As [`join`](crate::join).
    #[inline(always)]
    pub fn join<A, B, RA, RB>(&self, a: A, b: B) -> Result<(RA, RB), Cancelled>
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.check()?;
        let unless_cancelled = || self.check().map(|()| b());
        let (ra, rb) = crate::join(a, unless_cancelled);
        rb.map(|rb| (ra, rb))
    }
}
