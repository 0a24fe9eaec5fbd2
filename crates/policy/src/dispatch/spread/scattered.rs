use rand::{Rng, RngExt};

use super::super::scratch::Scratch;
use super::{AnyToken, Assignment, Needs, Spread, View};

/// Each job of a split batch goes to a random idle server, whatever the others do: one of the rules
/// that equation 7 of PI allows. Some idle servers may get nothing.
///
/// The Last-Idle server is uniform among those that got jobs. Equation 8 draws it among all that
/// were idle, but one that got nothing is still idle, and then it is drawn anew before it is used.
#[derive(Clone, Debug)]
pub struct Scattered {
    /// The idle servers, while a batch is spread.
    idle: Scratch<u32>,
}

impl Spread for Scattered {
    const NEEDS: Needs = Needs::NOTHING;

    fn over(view: &View<'_>) -> Self {
        Self {
            idle: Scratch::with_capacity(view.servers()),
        }
    }

    fn spread<R: Rng + ?Sized>(
        &mut self,
        tokens: &mut AnyToken,
        jobs: u32,
        rng: &mut R,
        out: &mut Assignment,
    ) -> Option<usize> {
        tokens.list(&mut self.idle);
        if self.idle.is_empty() || jobs == 0 {
            return None;
        }
        out.clear();
        for _ in 0..jobs {
            let server = self.idle[rng.random_range(0..self.idle.len())];
            out.give(server as usize, 1);
        }
        tokens.give_back(out, rng)
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.idle.clear();
        self.idle.reserve(view.servers());
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SpreadTokens, Tokens as _};
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
            let mut tokens = SpreadTokens::<Scattered>::all(&view);
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
