use rand::Rng;

use super::scan::argmin;
use super::water::water_fill;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `jsq`: Join the Shortest Queue. Every batch asks all n servers, so it costs n messages.
#[derive(Clone, Debug, Default)]
pub struct Jsq {
    messages: u64,
}

impl Policy for Jsq {
    const FORM: &'static str = "jsq";
    const MEANING: &'static str = "the shortest of all queues";
    const NEEDS: Needs = Needs::QUEUES;

    fn start(_: &[usize], _: &View<'_>) -> Self {
        Self::default()
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
        out.clear();
        water_fill(view.queues(), jobs, rng, |server, jobs| {
            out.give_first(server, jobs)
        });
    }

    fn messages(&self) -> u64 {
        self.messages
    }
}
