//! When a request may be sent again.
//!
//! A request that never reached a server can go to another one, whatever its method. A request that
//! a server may have read is sent again only if its method is idempotent (RFC 9110, section 9.2.2),
//! its body is still at hand, and the client has got no part of an answer.

/// What is known about an attempt that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedAttempt {
    /// Whether there was a connection, so that something may have been sent.
    pub(crate) connected: bool,
    /// Whether the server failed, rather than the client or the proxy.
    pub(crate) by_server: bool,
    /// Whether the client has got a part of an answer.
    pub(crate) answered: bool,
    /// Whether the method is idempotent.
    pub(crate) idempotent: bool,
    /// Whether the whole body is at hand.
    pub(crate) body_kept: bool,
    /// How many attempts there were, this one included.
    pub(crate) attempts: usize,
    /// How many attempts there may be after the first.
    pub(crate) retries: usize,
    /// Whether the time for the whole request is up.
    pub(crate) late: bool,
}

impl FailedAttempt {
    /// Whether another attempt may follow.
    pub(crate) fn may_repeat(&self) -> bool {
        let safe = !self.connected || self.idempotent && self.body_kept && !self.answered;
        safe && self.by_server && !self.late && self.attempts <= self.retries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GET whose connection broke before the answer.
    const BROKEN: FailedAttempt = FailedAttempt {
        connected: true,
        by_server: true,
        answered: false,
        idempotent: true,
        body_kept: true,
        attempts: 1,
        retries: 3,
        late: false,
    };

    #[test]
    fn only_what_is_safe_is_repeated() {
        let post = FailedAttempt {
            idempotent: false,
            ..BROKEN
        };
        let unsent = FailedAttempt {
            connected: false,
            ..post
        };
        assert!(BROKEN.may_repeat());
        assert!(!post.may_repeat());
        assert!(unsent.may_repeat());
        for unsafe_now in [
            FailedAttempt {
                answered: true,
                ..BROKEN
            },
            FailedAttempt {
                body_kept: false,
                ..BROKEN
            },
            FailedAttempt {
                by_server: false,
                ..BROKEN
            },
            FailedAttempt {
                late: true,
                ..unsent
            },
            FailedAttempt {
                attempts: 4,
                ..unsent
            },
        ] {
            assert!(!unsafe_now.may_repeat(), "{unsafe_now:?}");
        }
    }
}
