use rand::Rng;

use super::{AnyToken, Assignment, Needs, ServerBits, Tokens, View};

/// Any token will do, and a batch is never split: one idle server gets all of it.
///
/// Equation 7 of PI allows this rule too, so Theorem 3.4 covers it: PI-Split then is PI.
#[derive(Clone, Debug)]
pub struct OneToken(AnyToken);

impl Tokens for OneToken {
    const NEEDS: Needs = Needs::NOTHING;

    fn all(view: &View<'_>) -> Self {
        Self(AnyToken::all(view))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn hold(&mut self, server: usize, view: &View<'_>) {
        self.0.hold(server, view);
    }

    fn hold_all(&mut self, servers: &ServerBits, view: &View<'_>) {
        self.0.hold_all(servers, view);
    }

    fn withdraw(&mut self, server: usize) {
        self.0.withdraw(server);
    }

    fn take<R: Rng + ?Sized>(&mut self, rng: &mut R) -> Option<usize> {
        self.0.take(rng)
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        let server = self.take(rng)?;
        out.clear();
        out.give(server, jobs);
        Some(server)
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.0.server_joined(view);
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.0.server_left(server, servers);
    }
}
