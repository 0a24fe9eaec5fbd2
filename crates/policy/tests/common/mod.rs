//! A farm of servers in slots, as PI section 2.1 orders them, in plain loops: enough to test
//! policies, and simple enough to be checked by reading.

#![allow(dead_code, reason = "each test file uses its part")]

use filch_policy::dispatch::{Assignment, Dispatch, Spec, View};
use filch_random::{Purpose, Seed, Stream};

pub(crate) fn stream(seed: u64) -> Stream {
    Seed::new(seed).stream(Purpose::named("test"), 0, 0)
}

/// Every policy there is, with small parameters, alone and under both combinators.
pub(crate) fn all_policies() -> Vec<Spec> {
    Spec::examples(2).collect()
}

pub(crate) struct Farm<D> {
    pub(crate) queues: Vec<u32>,
    pub(crate) speeds: Vec<f64>,
    pub(crate) dispatcher: D,
    pub(crate) batch: Assignment,
    /// Tokens sent so far.
    pub(crate) tokens: u64,
    /// Whether each server has jobs; kept here so that serving allocates nothing of its own.
    busy: Vec<bool>,
}

impl<D: Dispatch> Farm<D> {
    /// `speeds.len()` idle servers.
    pub(crate) fn new(speeds: &[f64], start: impl FnOnce(&View<'_>) -> D) -> Self {
        let queues = vec![0; speeds.len()];
        let dispatcher = start(&View::of_queues(&queues).with_speeds(speeds));
        let batch = Assignment::over(queues.len());
        Self {
            queues,
            speeds: speeds.to_vec(),
            dispatcher,
            batch,
            tokens: 0,
            busy: Vec::new(),
        }
    }

    pub(crate) fn idle(&self) -> Vec<usize> {
        (0..self.queues.len())
            .filter(|&server| self.queues[server] == 0)
            .collect()
    }

    /// Steps 1 and 2 of a slot: a batch arrives and is routed; `self.batch` says where to.
    pub(crate) fn route(&mut self, jobs: u32, split: bool, rng: &mut Stream) {
        let view = View::of_queues(&self.queues).with_speeds(&self.speeds);
        if split {
            self.dispatcher.split(jobs, &view, rng, &mut self.batch);
        } else {
            let server = self.dispatcher.whole(jobs, &view, rng);
            self.batch.clear();
            self.batch.give(server, jobs);
        }
        for (server, jobs) in self.batch.iter() {
            self.queues[server] += jobs;
        }
    }

    /// Steps 3 and 4: every server serves up to its capacity, and those that become idle say so.
    pub(crate) fn serve(&mut self, capacities: &[u32]) {
        self.busy.clear();
        self.busy.extend(self.queues.iter().map(|&queue| queue > 0));
        for (queue, capacity) in self.queues.iter_mut().zip(capacities) {
            *queue = queue.saturating_sub(*capacity);
        }
        let view = View::of_queues(&self.queues).with_speeds(&self.speeds);
        for (server, &was_busy) in self.busy.iter().enumerate() {
            if was_busy && self.queues[server] == 0 {
                self.dispatcher.fell_idle(server, &view);
                self.tokens += 1;
            }
        }
    }
}
