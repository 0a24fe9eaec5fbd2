use rand::Rng;

use super::lot::Lot;
use super::scan::argmin;
use super::water::water_fill;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `jsq`: Join the Shortest Queue. Every batch asks all n servers, so it costs n messages.
#[derive(Clone, Debug)]
pub struct Jsq {
    /// Draws who gets what cannot be spread evenly.
    lot: Lot,
    messages: u64,
}

impl Policy for Jsq {
    const FORM: &'static str = "jsq";
    const MEANING: &'static str = "the shortest of all queues";
    const NEEDS: Needs = Needs::QUEUES;

    fn start(_: &[usize], view: &View<'_>) -> Self {
        Self {
            lot: Lot::over(view.servers()),
            messages: 0,
        }
    }
}

impl Dispatch for Jsq {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.messages += view.servers() as u64;
        argmin(view.queues(), rng)
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        self.messages += view.servers() as u64;
        let lot = &mut self.lot;
        out.give_all(|given| water_fill(view.queues(), jobs, rng, lot, given));
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn joined(&mut self, view: &View<'_>) {
        self.lot.resize(view.servers());
    }
}
