mod one_server;
mod scattered;
mod speed_share;

pub use one_server::OneServer;
pub use scattered::Scattered;
pub use speed_share::SpeedShare;

use rand::Rng;

use super::{AnyToken, Assignment, Needs, ServerBits, Tokens, View};

/// A rule f of PI's equation 7 other than the even one: how a split batch is spread over the idle
/// servers.
pub trait Spread: Clone + Sized {
    /// What the rule depends on.
    const NEEDS: Needs;

    /// The rule for the servers of `view`.
    fn over(view: &View<'_>) -> Self;

    /// Spreads a batch, as [`Tokens::spread`] says.
    fn spread<R: Rng + ?Sized>(
        &mut self,
        tokens: &mut AnyToken,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize>;

    /// Looks at `server` again. Called for a rule that needs speeds, when a token arrives or a
    /// speed changes.
    fn learn(&mut self, server: usize, view: &View<'_>) {
        let _ = (server, view);
    }

    /// The last server of `view` has joined.
    fn server_joined(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// `server` has left, and the last server takes its number.
    fn server_left(&mut self, server: usize) {
        let _ = server;
    }
}

/// Any token will do, as for [`AnyToken`], and a split batch is spread by the rule S.
#[derive(Clone, Debug)]
pub struct SpreadTokens<S> {
    tokens: AnyToken,
    rule: S,
}

impl<S: Spread> Tokens for SpreadTokens<S> {
    const NEEDS: Needs = S::NEEDS;

    fn all(view: &View<'_>) -> Self {
        Self {
            tokens: AnyToken::all(view),
            rule: S::over(view),
        }
    }

    fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    fn hold(&mut self, server: usize, view: &View<'_>) {
        self.changed(server, view);
        self.tokens.hold(server, view);
    }

    fn hold_all(&mut self, servers: &ServerBits, view: &View<'_>) {
        if S::NEEDS.speeds {
            let learn = |server| self.rule.learn(server, view);
            servers.iter().for_each(learn);
        }
        self.tokens.hold_all(servers, view);
    }

    fn withdraw(&mut self, server: usize) {
        self.tokens.withdraw(server);
    }

    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize> {
        self.tokens.take(rng)
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        self.rule.spread(&mut self.tokens, jobs, rng, out)
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.tokens.server_joined(view);
        self.rule.server_joined(view);
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.tokens.server_left(server, servers);
        self.rule.server_left(server);
    }

    fn changed(&mut self, server: usize, view: &View<'_>) {
        if S::NEEDS.speeds {
            self.rule.learn(server, view);
        }
    }
}
