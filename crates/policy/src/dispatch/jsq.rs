use rand::Rng;

use super::scan::shortest;
use super::sets::{SubsetDraw, Tournament};
use super::water::water_fill;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `jsq`: Join the Shortest Queue. Every batch asks all n servers, so it costs n messages.
#[derive(Clone, Debug)]
pub struct Jsq {
    /// Draws the servers that get one job more.
    subset: SubsetDraw,
    /// An index of the queues, if the policy is told of every change.
    index: Option<Tournament<u32>>,
    messages: u64,
}

impl Policy for Jsq {
    const FORM: &'static str = "jsq";
    const MEANING: &'static str = "the shortest of all queues";
    const NEEDS: Needs = Needs::QUEUES;

    fn start(_: &[usize], view: &View<'_>) -> Self {
        Self {
            subset: SubsetDraw::over(view.servers()),
            index: None,
            messages: 0,
        }
    }

    fn start_following(_: &[usize], view: &View<'_>) -> Self {
        Self {
            index: Some(Tournament::of(view.queues().iter().copied())),
            ..Self::start(&[], view)
        }
    }
}

impl Dispatch for Jsq {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.messages += view.servers() as u64;
        match &self.index {
            Some(index) => index.best(rng).expect("a dispatcher has servers"),
            None => shortest(view.queues(), rng),
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
        let subset = &mut self.subset;
        out.give_all(view.servers(), |given| {
            water_fill(view.queues(), jobs, rng, subset, given)
        });
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.subset.resize(view.servers());
        if let Some(index) = &mut self.index {
            let server = view.servers() - 1;
            index.server_joined(server, view.queues()[server]);
        }
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        if let Some(index) = &mut self.index {
            index.server_left(server, servers);
        }
    }

    #[inline]
    fn changed(&mut self, server: usize, view: &View<'_>) {
        if let Some(index) = &mut self.index {
            index.insert(server, view.queues()[server]);
        }
    }
}
