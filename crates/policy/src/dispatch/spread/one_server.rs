use rand::Rng;

use super::{AnyToken, Assignment, Needs, Spread, Tokens as _, View};

/// A batch is never split: one idle server gets all of it.
///
/// Equation 7 of PI allows this rule too, so Theorem 3.4 covers it: PI-Split then is PI.
#[derive(Clone, Debug)]
pub struct OneServer;

impl Spread for OneServer {
    const NEEDS: Needs = Needs::NOTHING;

    fn over(_: &View<'_>) -> Self {
        Self
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        tokens: &mut AnyToken,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        let server = tokens.take(rng)?;
        out.clear();
        out.give(server, jobs);
        Some(server)
    }
}
