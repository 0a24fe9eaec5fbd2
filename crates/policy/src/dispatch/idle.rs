use rand::Rng;

use super::{AnyToken, Assignment, Dispatch, ServerBits, Tokens, View};

/// `idle(F)` and its variants: to an idle server if there is one, otherwise as F says.
///
/// T says which idle servers come first, and how a split batch is spread over them (PI, equation
/// 7).
///
/// With F = `random` this is Join-the-Idle-Queue, with F = `last` Persistent-Idle. While no server
/// is idle, PI sends everything to the Last-Idle server, the one that got the last batch for an
/// idle server (PI, equation 4); `last` is told of it. Under splitting, PI's Last-Idle server is a
/// uniform one of the servers that were idle (equation 8).
///
/// Equation 4 draws the Last-Idle server anew in every slot that begins with idle servers, also
/// when no job arrives. Here it is drawn when a batch arrives. The routing is the same: an idle
/// server stays idle until it gets a job, so the choice is among the same servers, and a choice
/// made in between would never be used.
///
/// Each server that falls idle costs one message, its token. The probes of F are added, for the
/// batches that F routes.
#[derive(Clone, Debug)]
pub struct Idle<F, T = AnyToken> {
    fallback: F,
    tokens: T,
    /// Tokens received. Those held at the start were not sent, so they are not counted.
    received: u64,
}

impl<F: Dispatch, T: Tokens> Idle<F, T> {
    /// Idle servers first, then `fallback`, in front of the servers of `view`, all of them idle.
    pub fn over(fallback: F, view: &View<'_>) -> Self {
        Self {
            fallback,
            tokens: T::all(view),
            received: 0,
        }
    }
}

impl<F, T: Tokens> Idle<F, T> {
    /// Whether an idle server is known.
    #[inline]
    pub fn knows_idle(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Has received the tokens that `other` received, and holds those that it holds.
    pub(super) fn take_tokens_of<G>(&mut self, other: &Idle<G, T>) {
        self.tokens = other.tokens.clone();
        self.received = other.received;
    }
}

impl<F: Dispatch, T: Tokens> Dispatch for Idle<F, T> {
    #[inline]
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        match self.tokens.take(rng) {
            Some(server) => {
                self.fallback.sent(server);
                server
            }
            None => self.fallback.whole(jobs, view, rng),
        }
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        match self.tokens.spread(jobs, rng, out) {
            Some(last_idle) => self.fallback.sent(last_idle),
            None => self.fallback.split(jobs, view, rng, out),
        }
    }

    fn messages(&self) -> u64 {
        self.received + self.fallback.messages()
    }

    #[inline]
    fn fell_idle(&mut self, server: usize, view: &View<'_>) {
        self.received += 1;
        self.tokens.hold(server, view);
        self.fallback.fell_idle(server, view);
    }

    #[inline]
    fn fell_idle_together(&mut self, servers: &ServerBits, view: &View<'_>) {
        self.received += servers.count() as u64;
        self.tokens.hold_all(servers, view);
        self.fallback.fell_idle_together(servers, view);
    }

    #[inline]
    fn sent(&mut self, server: usize) {
        self.fallback.sent(server);
    }

    fn withdraw(&mut self, server: usize) {
        self.tokens.withdraw(server);
        self.fallback.withdraw(server);
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.tokens.server_joined(view);
        self.fallback.server_joined(view);
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.tokens.server_left(server, servers);
        self.fallback.server_left(server, servers);
    }

    #[inline]
    fn changed(&mut self, server: usize, view: &View<'_>) {
        self.tokens.changed(server, view);
        self.fallback.changed(server, view);
    }
}
