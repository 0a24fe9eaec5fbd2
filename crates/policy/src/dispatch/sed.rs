use alloc::collections::BinaryHeap;
use core::cmp::Ordering;
use core::mem;

use rand::{Rng, RngExt};

use super::scan::argmin;
use super::scratch::Scratch;
use super::sets::Tournament;
use super::{Assignment, Dispatch, Needs, Policy, View};

/// `sed`: Shortest Expected Delay. To the server that would finish the batch first at its known
/// speed: the least (queue + batch) / speed.
///
/// The jobs to be placed count, as usual for this policy: queue / speed alone would call a slow and
/// a fast idle server equal. A split batch goes job by job to the server that would finish that job
/// first. The speeds come with the view: known in a simulation, configured or learned elsewhere.
/// The speed of a server that serves several jobs at a time is that of all of them together. All
/// queues are probed, so a batch costs n messages.
#[derive(Clone, Debug)]
pub struct Sed {
    /// An index of the delays of one more job, if the policy is told of every change.
    index: Option<Tournament<f64>>,
    delays: Scratch<f64>,
    /// For each server, its offer to take the next job of a split batch.
    offers: Scratch<Offer>,
    messages: u64,
}

/// A server's offer to take one more job.
#[derive(Clone, Copy, Debug)]
struct Offer {
    /// When that job would be done.
    delay: f64,
    /// Equals are ordered at random.
    tie: u32,
    server: u32,
    /// The queue with this job.
    queue: u64,
}

impl Policy for Sed {
    const FORM: &'static str = "sed";
    const MEANING: &'static str =
        "the shortest expected delay: queue over speed, the batch included";
    const NEEDS: Needs = Needs::QUEUES_AND_SPEEDS;

    fn start(_: &[usize], view: &View<'_>) -> Self {
        let servers = view.servers();
        Self {
            index: None,
            delays: Scratch::with_capacity(servers),
            offers: Scratch::with_capacity(servers),
            messages: 0,
        }
    }

    fn start_following(parameters: &[usize], view: &View<'_>) -> Self {
        let delays = (0..view.servers()).map(|server| delay_of_one(server, view));
        Self {
            index: Some(Tournament::of(delays)),
            ..Self::start(parameters, view)
        }
    }
}

/// Jobs per unit of time that `server` completes while it has enough of them.
#[inline]
fn capacity(server: usize, view: &View<'_>) -> f64 {
    view.speed(server) * f64::from(view.slots(server))
}

/// When one job more would be done at `server`.
#[inline]
fn delay_of_one(server: usize, view: &View<'_>) -> f64 {
    (f64::from(view.queues()[server]) + 1.0) / capacity(server, view)
}

impl Dispatch for Sed {
    fn whole<R: Rng + ?Sized>(&mut self, jobs: u32, view: &View<'_>, rng: &mut R) -> usize {
        self.messages += view.servers() as u64;
        if let (1, Some(index)) = (jobs, &self.index) {
            return index.best(rng).expect("a dispatcher has servers");
        }
        let batch = f64::from(jobs);
        let delay =
            |server: usize| (f64::from(view.queues()[server]) + batch) / capacity(server, view);
        self.delays.clear();
        self.delays.extend((0..view.servers()).map(delay));
        argmin(&self.delays, rng)
    }

    /// Water-filling in delay, by the argument of `water.rs`: no delay exceeds the level T at which
    /// Σ max(0, T·speed − queue) = jobs, so every server can be filled up to T at once. The jobs
    /// that rounding leaves, fewer than one for each server, are placed one by one.
    fn split<R: Rng + ?Sized>(
        &mut self,
        jobs: u32,
        view: &View<'_>,
        rng: &mut R,
        out: &mut Assignment,
    ) {
        self.messages += view.servers() as u64;
        out.clear();
        let level = level(view, jobs);
        let mut left = jobs;
        self.offers.clear();
        for (server, &queue) in view.queues().iter().enumerate() {
            let speed = capacity(server, view);
            // Rounding of T must not give out more than there is.
            let filled = (level * speed - f64::from(queue)).max(0.0) as u32;
            let filled = filled.min(left);
            left -= filled;
            out.give(server, filled);
            let queue = u64::from(queue) + u64::from(filled) + 1;
            self.offers.push(Offer {
                delay: queue as f64 / speed,
                tie: rng.random(),
                server: server as u32,
                queue,
            });
        }
        // The heap is built in the same memory, which goes back when all are placed.
        let mut heap = BinaryHeap::from(mem::take(&mut *self.offers));
        for _ in 0..left {
            let mut best = heap.peek_mut().expect("a dispatcher has servers");
            out.give(best.server as usize, 1);
            best.queue += 1;
            best.delay = best.queue as f64 / capacity(best.server as usize, view);
            best.tie = rng.random();
        }
        *self.offers = heap.into_vec();
    }

    fn messages(&self) -> u64 {
        self.messages
    }

    fn server_joined(&mut self, view: &View<'_>) {
        self.delays.clear();
        self.delays.reserve(view.servers());
        self.offers.clear();
        self.offers.reserve(view.servers());
        if let Some(index) = &mut self.index {
            let server = view.servers() - 1;
            index.server_joined(server, delay_of_one(server, view));
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
            index.insert(server, delay_of_one(server, view));
        }
    }
}

/// The time T with Σ max(0, T·speed − queue) = jobs.
fn level(view: &View<'_>, jobs: u32) -> f64 {
    let mut level = f64::INFINITY;
    loop {
        let (mut work, mut speed) = (f64::from(jobs), 0.0);
        for (server, &queue) in view.queues().iter().enumerate() {
            let capacity = capacity(server, view);
            let below = f64::from(queue) < level * capacity;
            work += if below { f64::from(queue) } else { 0.0 };
            speed += if below { capacity } else { 0.0 };
        }
        // Rounding may empty the set or stop the fall by a hair; both mean that the level is found.
        if speed == 0.0 || work / speed >= level {
            return level;
        }
        level = work / speed;
    }
}

/// The heap gives the greatest first: the least delay is the greatest offer.
impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .delay
            .total_cmp(&self.delay)
            .then(self.tie.cmp(&other.tie))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Offer {}

#[cfg(test)]
mod tests {
    use super::*;
    use filch_random::{Purpose, Seed};
    use proptest::prelude::*;

    #[test]
    fn a_fast_queue_may_be_shorter_than_no_queue() {
        let mut rng = Seed::new(1).stream(Purpose::named("test"), 0, 0);
        let view = View::of_queues(&[0, 4]).with_speeds(&[1.0, 10.0]);
        assert_eq!(Sed::start(&[], &view).whole(1, &view, &mut rng), 1);
        let view = View::of_queues(&[0, 40]).with_speeds(&[1.0, 10.0]);
        assert_eq!(Sed::start(&[], &view).whole(1, &view, &mut rng), 0);
    }

    proptest! {
        /// Splitting at once does what placing job by job does, up to ties: the delays at which the
        /// jobs finish are the same.
        #[test]
        fn split_is_one_by_one(
            servers in prop::collection::vec((0..20u32, 1..8u32), 1..20),
            jobs in 1..100u32,
            seed: u64,
        ) {
            let mut rng = Seed::new(seed).stream(Purpose::named("test"), 0, 0);
            let queues: Vec<u32> = servers.iter().map(|server| server.0).collect();
            let speeds: Vec<f64> = servers.iter().map(|server| server.1.into()).collect();
            let view = View::of_queues(&queues).with_speeds(&speeds);
            let mut out = Assignment::over(servers.len());
            Sed::start(&[], &view).split(jobs, &view, &mut rng, &mut out);

            let mut at_once = Vec::new();
            for (server, jobs) in out.iter() {
                let queue = queues[server];
                let delays = (queue + 1..=queue + jobs).map(|queue| f64::from(queue) / speeds[server]);
                at_once.extend(delays);
            }
            let mut one_by_one = Vec::new();
            let mut filled = queues.clone();
            for _ in 0..jobs {
                let delay = |server: usize| f64::from(filled[server] + 1) / speeds[server];
                let best = (0..servers.len()).min_by(|&a, &b| delay(a).total_cmp(&delay(b))).unwrap();
                one_by_one.push(delay(best));
                filled[best] += 1;
            }
            at_once.sort_by(f64::total_cmp);
            prop_assert_eq!(at_once, one_by_one);
        }
    }
}
