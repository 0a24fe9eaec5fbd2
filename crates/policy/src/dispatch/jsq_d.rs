use rand::Rng;

use super::scratch::Scratch;
use super::sets::{ServerSet, SubsetDraw};
use super::water::water_fill;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `jsq:D`: the shortest of D queues sampled for each batch; JSQ(2) is the power of two choices.
///
/// PI leaves open whether a server may be sampled twice. Here it may not: the D servers are
/// distinct, as "the two servers that were chosen" in section 4 suggests and as proxies implement
/// it. This is never worse. If fewer than D servers remain, all are sampled.
#[derive(Clone, Debug)]
pub struct JsqD {
    samples: usize,
    servers: ServerSet,
    /// The sampled queue lengths of a split batch, and how many jobs each gets.
    queues: Scratch<u32>,
    given: Scratch<u32>,
    subset: SubsetDraw,
    messages: u64,
}

impl Policy for JsqD {
    const FORM: &'static str = "jsq:D";
    const MEANING: &'static str = "the shortest of D random queues";
    const NEEDS: Needs = Needs::QUEUES;

    fn start(parameters: &[usize], view: &View<'_>) -> Self {
        let samples = parameters[0];
        Self {
            samples,
            servers: ServerSet::full(view.servers()),
            queues: Scratch::with_capacity(samples),
            given: Scratch::with_capacity(samples),
            subset: SubsetDraw::over(samples),
            messages: 0,
        }
    }

    fn least_servers(parameters: &[usize]) -> usize {
        parameters[0]
    }
}

impl Dispatch for JsqD {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        let sample = self.servers.draw(self.samples, rng);
        self.messages += sample.len() as u64;
        // The sample stands in random order, so its first minimum is a uniform one.
        let queues = view.queues();
        let shortest = sample.iter().min_by_key(|&&server| queues[server as usize]);
        *shortest.expect("a dispatcher has servers") as usize
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        let sample = self.servers.draw(self.samples, rng);
        self.messages += sample.len() as u64;
        self.queues.clear();
        self.queues
            .extend(sample.iter().map(|&server| view.queues()[server as usize]));
        self.given.resize(sample.len(), 0);
        water_fill(&self.queues, jobs, rng, &mut self.subset, &mut self.given);
        out.clear();
        out.give_each(sample, &self.given);
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.servers.server_joined();
        self.servers.insert(view.servers() - 1);
    }

    fn server_left(&mut self, server: usize, _: usize) {
        self.servers.server_left(server);
    }
}
