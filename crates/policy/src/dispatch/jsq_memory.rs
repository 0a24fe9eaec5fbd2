use rand::Rng;

use super::scan::argmin;
use super::scratch::Scratch;
use super::sets::{ServerSet, SubsetDraw};
use super::water::water_fill;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `jsq:D:M`: the shortest of D sampled and M remembered queues; JSQ(1,1) is the power of memory.
///
/// PI leaves three points open. Here:
///
/// * **What is remembered** after a batch: the M shortest of the queues just seen, counting the
///   jobs just sent (Shah and Prabhakar, 2002, remember the least loaded after the allocation). The
///   server that took a whole batch is therefore dropped if the batch made it a long queue.
/// * **Before the first batch** M random servers are remembered, so that it costs D + M messages as
///   every later one does. Only the batch after a remembered server has left may cost fewer: the
///   dispatcher probes those it still remembers, and M random ones if it remembers none.
/// * **Sampling** is without replacement among all servers. A sample may be a server that is
///   remembered too; it then counts once in the choice and in the water-filling, but twice in the
///   messages, since the dispatcher probes D + M times as in PI section 4.1.
#[derive(Clone, Debug)]
pub struct JsqMemory {
    samples: usize,
    memories: usize,
    servers: ServerSet,
    remembered: Scratch<u32>,
    /// The servers seen for the present batch, and their queue lengths.
    seen: Scratch<u32>,
    queues: Scratch<u32>,
    /// How many jobs of a split batch each of them gets.
    given: Scratch<u32>,
    subset: SubsetDraw,
    messages: u64,
}

impl Policy for JsqMemory {
    const FORM: &'static str = "jsq:D:M";
    const MEANING: &'static str = "the shortest of D random and M remembered queues";
    const NEEDS: Needs = Needs::QUEUES;

    fn start(parameters: &[usize], view: &View<'_>) -> Self {
        let (samples, memories) = (parameters[0], parameters[1]);
        Self {
            samples,
            memories,
            servers: ServerSet::full(view.servers()),
            remembered: Scratch::with_capacity(memories),
            seen: Scratch::with_capacity(samples + memories),
            queues: Scratch::with_capacity(samples + memories),
            given: Scratch::with_capacity(samples + memories),
            subset: SubsetDraw::over(samples + memories),
            messages: 0,
        }
    }

    fn least_servers(parameters: &[usize]) -> usize {
        parameters[0].max(parameters[1])
    }
}

impl JsqMemory {
    fn look<R: Rng + ?Sized>(&mut self, view: &View<'_>, rng: &mut R) {
        self.seen.clear();
        if self.remembered.is_empty() {
            self.remembered
                .extend(self.servers.draw(self.memories, rng));
        }
        self.seen.extend_from_slice(&self.remembered);
        let sample = self.servers.draw(self.samples, rng);
        self.messages += (self.remembered.len() + sample.len()) as u64;
        self.seen.extend(
            sample
                .iter()
                .filter(|server| !self.remembered.contains(server)),
        );
        self.queues.clear();
        self.queues.extend(
            self.seen
                .iter()
                .map(|&server| view.queues()[server as usize]),
        );
    }

    /// Keeps the M shortest of what was seen, `queues` being the lengths after the batch.
    fn remember<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        self.remembered.clear();
        while self.remembered.len() < self.memories && !self.seen.is_empty() {
            let shortest = argmin(&self.queues, rng);
            self.queues.swap_remove(shortest);
            self.remembered.push(self.seen.swap_remove(shortest));
        }
    }
}

impl Dispatch for JsqMemory {
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.look(view, rng);
        let shortest = argmin(&self.queues, rng);
        let server = self.seen[shortest] as usize;
        self.queues[shortest] = self.queues[shortest].saturating_add(jobs);
        self.remember(rng);
        server
    }

    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        self.look(view, rng);
        self.given.resize(self.seen.len(), 0);
        water_fill(&self.queues, jobs, rng, &mut self.subset, &mut self.given);
        out.clear();
        out.give_each(&self.seen, &self.given);
        for (queue, &jobs) in self.queues.iter_mut().zip(self.given.iter()) {
            *queue = queue.saturating_add(jobs);
        }
        self.remember(rng);
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.servers.server_joined();
        self.servers.insert(view.servers() - 1);
    }

    fn server_left(&mut self, server: usize, servers: usize) {
        self.servers.server_left(server);
        self.remembered
            .retain(|&remembered| remembered as usize != server);
        for remembered in self.remembered.iter_mut() {
            if *remembered as usize == servers - 1 {
                *remembered = server as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};

    #[test]
    fn remembers_the_shortest_after_the_batch() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        // With two servers and two samples both are seen, so the memory is known.
        for (queues, jobs, chosen, remembered) in
            [([3, 5], 1, 0, 0), ([3, 5], 4, 0, 1), ([9, 0], 3, 1, 1)]
        {
            let view = View::of_queues(&queues);
            let mut policy = JsqMemory::start(&[2, 1], &view);
            assert_eq!(policy.whole(jobs, &view, &mut rng), chosen);
            assert_eq!(*policy.remembered, [remembered]);
            assert_eq!(policy.messages(), 3);
        }
    }

    /// Queues 3 and 4 and two jobs: one fills the first queue up, the other goes to either, and the
    /// queue that did not get it is the shorter one now.
    #[test]
    fn remembers_the_shortest_after_a_split_batch() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let queues = [3, 4];
        let view = View::of_queues(&queues);
        let mut out = Assignment::over(2);
        for _ in 0..40 {
            let mut policy = JsqMemory::start(&[2, 1], &view);
            policy.split(2, &view, &mut rng, &mut out);
            let after = [0, 1].map(|server| queues[server] + out.jobs(server));
            let shortest = u32::from(after[1] < after[0]);
            assert_eq!(*policy.remembered, [shortest], "{after:?}");
        }
    }

    #[test]
    fn forgets_servers_that_left() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let view = View::of_queues(&[9, 9, 0]);
        let mut policy = JsqMemory::start(&[3, 1], &view);
        policy.whole(1, &view, &mut rng);
        assert_eq!(*policy.remembered, [2]);
        policy.server_left(0, 3); // server 2 is now server 0
        assert_eq!(*policy.remembered, [0]);
        policy.server_left(0, 2);
        assert_eq!(*policy.remembered, []);
    }

    /// With one of two memories gone the next batch asks one server less; with none left it asks as
    /// many as the first batch.
    #[test]
    fn messages_after_a_memory_left() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let view = View::of_queues(&[9, 9, 0, 0]);
        let mut policy = JsqMemory::start(&[1, 2], &view);
        let mut cost = |policy: &mut JsqMemory, view: &View<'_>| {
            let before = policy.messages();
            policy.whole(1, view, &mut rng);
            policy.messages() - before
        };
        assert_eq!(cost(&mut policy, &view), 3);
        policy.server_left(policy.remembered[0] as usize, 4);
        let view = View::of_queues(&[9, 9, 9]);
        assert_eq!(cost(&mut policy, &view), 2);
        policy.remembered.clear();
        assert_eq!(cost(&mut policy, &view), 3);
    }
}
