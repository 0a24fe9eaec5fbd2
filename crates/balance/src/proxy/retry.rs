//! When a request may be sent again.
//!
//! A request that never reached a server can go to another one, whatever it asks for. One that may have
//! been read can only be repeated if doing it twice is as good as doing it once (RFC 9110, section
//! 9.2.2), if its body is still at hand, and if the client has seen nothing of an answer.

/// What is known about an attempt that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// Whether there was a connection, so that something may have been sent.
    pub(crate) connected: bool,
    /// Whether the server failed, and not the client or the proxy.
    pub(crate) by_server: bool,
    /// Whether the client has got a part of an answer.
    pub(crate) answered: bool,
    /// Whether the method is idempotent.
    pub(crate) idempotent: bool,
    /// Whether the whole body is at hand.
    pub(crate) body_kept: bool,
    /// How many attempts there were, this one included.
    pub(crate) attempts: usize,
    /// How many there may be after the first.
    pub(crate) retries: usize,
    /// Whether the time for the whole request is up.
    pub(crate) late: bool,
}

impl Attempt {
    /// Whether another one may follow.
    pub(crate) fn may_repeat(&self) -> bool {
        let safe = !self.connected || self.idempotent && self.body_kept && !self.answered;
        safe && self.by_server && !self.late && self.attempts <= self.retries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GET whose server broke off before it answered.
    const BROKEN: Attempt = Attempt {
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
        let post = Attempt {
            idempotent: false,
            ..BROKEN
        };
        let unsent = Attempt {
            connected: false,
            ..post
        };
        assert!(BROKEN.may_repeat());
        assert!(!post.may_repeat());
        assert!(unsent.may_repeat());
        for unsafe_now in [
            Attempt {
                answered: true,
                ..BROKEN
            },
            Attempt {
                body_kept: false,
                ..BROKEN
            },
            Attempt {
                by_server: false,
                ..BROKEN
            },
            Attempt {
                late: true,
                ..unsent
            },
            Attempt {
                attempts: 4,
                ..unsent
            },
        ] {
            assert!(!unsafe_now.may_repeat(), "{unsafe_now:?}");
        }
    }
}
