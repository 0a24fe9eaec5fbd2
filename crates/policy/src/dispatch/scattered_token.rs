use rand::{Rng, RngExt};

use super::scratch::Scratch;
use super::{AnyToken, Assignment, Needs, ServerBits, Tokens, View};

/// Any token will do, and each job of a split batch goes to a random idle server, whatever the
/// others do: one of the rules that equation 7 of PI allows. Some idle servers may get nothing.
///
/// The Last-Idle server is uniform among those that got jobs. Equation 8 draws it among all that
/// were idle, but one that got nothing is still idle, and then it is drawn anew before it is used.
#[derive(Clone, Debug)]
pub struct ScatteredToken {
    tokens: AnyToken,
    /// The idle servers, while a batch is spread.
    idle: Scratch<u32>,
}

impl Tokens for ScatteredToken {
    const NEEDS: Needs = Needs::NOTHING;

    fn all(view: &View<'_>) -> Self {
        Self {
            tokens: AnyToken::all(view),
            idle: Scratch::with_capacity(view.servers()),
        }
    }

    fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    fn hold(&mut self, server: usize, view: &View<'_>) {
        self.tokens.hold(server, view);
    }

    fn hold_all(&mut self, servers: &ServerBits, view: &View<'_>) {
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
        self.tokens.list(&mut self.idle);
        if self.idle.is_empty() || jobs == 0 {
            return None;
        }
        out.clear();
        for _ in 0..jobs {
            let server = self.idle[rng.random_range(0..self.idle.len())];
            out.give(server as usize, 1);
        }
        self.tokens.give_back(out, rng)
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.tokens.server_joined(view);
        self.idle.clear();
        self.idle.reserve(view.servers());
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.tokens.server_left(server, servers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    /// Three jobs on two idle servers of three: the first of them gets 0 to 3 with the binomial
    /// probabilities, and the busy one none. A chi-square test that a right program fails once in
    /// 10 000 times.
    #[test]
    fn each_job_chooses_for_itself() {
        let view = View::of(3);
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let mut out = Assignment::over(3);
        let mut counts = [0; 4];
        for _ in 0..8000 {
            let mut tokens = ScatteredToken::all(&view);
            tokens.withdraw(1);
            let last = tokens.spread(3, &mut rng, &mut out).unwrap();
            assert!(out.jobs(last) > 0 && out.jobs(1) == 0);
            counts[out.jobs(0) as usize] += 1;
            assert_eq!(tokens.is_empty(), out.recipients() == 2);
        }
        let p = filch_stats::chi_square(&counts, &[0.125, 0.375, 0.375, 0.125]).unwrap();
        assert!(p > 1e-4, "{counts:?}: {p}");
    }
}
