use core::fmt;

use super::{CancelToken, Cancelled};
use crate::scheduler::scope::Scope;

/// A scope that starts no further child once its token is cancelled; see [`CancelToken::scope`].
pub struct CancelScope<'a, 'scope> {
    scope: &'a Scope<'scope>,
    token: &'scope CancelToken,
}

impl CancelToken {
    /// [`scope`](crate::scope), whose children run only if the token is not cancelled when they
    /// begin. A child that does not run is dropped.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// let (token, begun) = (filch::CancelToken::new(), AtomicU32::new(0));
    /// let result = token.scope(|s| {
    ///     s.spawn(|_| {
    ///         begun.fetch_add(1, Ordering::Relaxed);
    ///     });
    ///     token.cancel();
    ///     s.spawn(|_| unreachable!("it was spawned too late"));
    /// });
    /// assert_eq!(result, Err(filch::Cancelled));
    /// assert!(begun.into_inner() <= 1);
    /// ```
    ///
    /// # Errors
    ///
    /// If the token is cancelled when the scope ends. The result of `body` is dropped.
    ///
    /// # Panics
    ///
    /// As [`scope`](crate::scope).
    pub fn scope<'scope, F, R>(&'scope self, body: F) -> Result<R, Cancelled>
    where
        F: FnOnce(&CancelScope<'_, 'scope>) -> R + Send,
        R: Send,
    {
        self.check()?;
        let token = self;
        let result = crate::scope(|scope| body(&CancelScope { scope, token }));
        self.check().map(|()| result)
    }
}

impl<'scope> CancelScope<'_, 'scope> {
    /// Starts a child as [`Scope::spawn`] does, unless the token is cancelled.
    pub fn spawn<F>(&self, child: F)
    where
        F: FnOnce(&CancelScope<'_, 'scope>) + Send + 'scope,
    {
        let token = self.token;
        if token.is_cancelled() {
            return;
        }
        self.scope.spawn(move |scope| {
            if !token.is_cancelled() {
                child(&CancelScope { scope, token });
            }
        });
    }

    /// The token of the scope.
    pub fn token(&self) -> &'scope CancelToken {
        self.token
    }
}

impl fmt::Debug for CancelScope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelScope")
            .field("token", self.token)
            .finish_non_exhaustive()
    }
}
