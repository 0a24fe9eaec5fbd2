use rand::{Rng, RngExt};

use super::{Assignment, Dispatch, Needs, Policy, View};

/// `random`: a uniformly random server; of a split batch each job for itself.
#[derive(Clone, Debug, Default)]
pub struct Random;

impl Policy for Random {
    const FORM: &'static str = "random";
    const MEANING: &'static str = "a random server (split: each job to a random one)";
    const NEEDS: Needs = Needs::NOTHING;

    fn start(_: &[usize], _: &View<'_>) -> Self {
        Self
    }
}

impl Dispatch for Random {
    #[inline]
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        rng.random_range(0..view.servers())
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        out.clear();
        // Servers are numbered in 32 bits. Drawing in 32 bits gives the same numbers and is
        // cheaper.
        let servers = view.servers() as u32;
        for _ in 0..jobs {
            out.give(rng.random_range(0..servers) as usize, 1);
        }
    }
}
