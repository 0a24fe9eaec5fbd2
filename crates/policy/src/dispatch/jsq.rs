use rand::Rng;

use super::scan::argmin;
use super::tournament::Tournament;
use super::water::water_fill;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `jsq`: Join the Shortest Queue. Every batch asks all n servers, so it costs n messages.
#[derive(Clone, Debug, Default)]
pub struct Jsq {
    /// The queues in order, if the policy is told of every change.
    index: Option<Tournament<u32>>,
    messages: u64,
}

impl Policy for Jsq {
    const FORM: &'static str = "jsq";
    const MEANING: &'static str = "the shortest of all queues";
    const NEEDS: Needs = Needs::QUEUES;

    fn start(_: &[usize], _: &View<'_>) -> Self {
        Self::default()
    }

    fn start_following(_: &[usize], view: &View<'_>) -> Self {
        Self {
            index: Some(Tournament::of(view.queues().iter().copied())),
            messages: 0,
        }
    }
}

impl Dispatch for Jsq {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.messages += view.servers() as u64;
        match &self.index {
            Some(index) => index.best(rng).expect("a dispatcher has servers"),
            None => argmin(view.queues(), rng),
        }
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

    fn joined(&mut self, view: &View<'_>) {
        if let Some(index) = &mut self.index {
            let server = view.servers() - 1;
            index.joined(server, view.queues()[server]);
        }
    }

    fn left(&mut self, server: usize, servers: usize) {
        if let Some(index) = &mut self.index {
            index.left(server, servers);
        }
    }

    #[inline]
    fn changed(&mut self, server: usize, view: &View<'_>) {
        if let Some(index) = &mut self.index {
            index.insert(server, view.queues()[server]);
        }
    }
}
