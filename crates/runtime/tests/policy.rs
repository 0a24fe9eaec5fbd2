//! Jobs go exactly where the policy of crates/policy says. A policy and a pool get the same events,
//! in the same order, with the same seed, and have to agree on every job.
#![cfg(not(any(loom, shuttle)))]

mod common;

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, Sender};

use common::{finishes, wait_until};
use filch::{DispatchPolicy, IdlePolicy, Pool};
use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, View};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A pool whose every job waits for the test, so that one thing happens at a time.
struct Led {
    pool: Pool,
    /// The jobs that have begun, with the worker that runs each.
    begun: Receiver<(usize, usize)>,
    report: Sender<(usize, usize)>,
    /// What ends each job.
    ends: Vec<Sender<()>>,
    /// The jobs of each worker according to the policy: the one in service, and those in its queue.
    jobs: Vec<VecDeque<usize>>,
    policy: Dispatcher,
    rng: Xoshiro256PlusPlus,
}

impl Led {
    fn new(policy: &str, workers: usize, seed: u64) -> Self {
        let spec: DispatchPolicy = policy.parse().unwrap();
        let pool = Pool::builder()
            .threads(workers)
            .dispatch(spec)
            .seed(seed)
            .idle(IdlePolicy::Park)
            // No worker takes jobs from another: this test is about the dispatcher alone.
            .steal("fraction:1000000".parse().unwrap())
            .build()
            .unwrap();
        // When all workers sleep, all have posted their tokens.
        wait_until(|| pool.metrics().workers.iter().all(|worker| worker.parks > 0));
        let (report, begun) = mpsc::channel();
        Self {
            policy: spec.start(&View::of_queues(&vec![0; workers])).unwrap(),
            // The dispatcher's stream, as the pool seeds it.
            rng: Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_sub(1)),
            jobs: vec![VecDeque::new(); workers],
            ends: Vec::new(),
            pool,
            begun,
            report,
        }
    }

    fn loads(&self) -> Vec<u32> {
        self.jobs.iter().map(|jobs| jobs.len() as u32).collect()
    }

    /// The next job, which reports that it has begun and waits to be ended.
    fn job(&mut self) -> (usize, impl FnOnce() + Send + use<>) {
        let (end, ended) = mpsc::channel();
        let (number, report) = (self.ends.len(), self.report.clone());
        self.ends.push(end);
        let job = move || {
            let worker = filch::current_worker().expect("jobs are run by workers");
            report.send((number, worker)).unwrap();
            ended.recv().unwrap();
        };
        (number, job)
    }

    /// The policy has sent `job` to `worker`. If that worker was idle, the pool must start the job
    /// there.
    fn sent(&mut self, job: usize, worker: usize) {
        self.jobs[worker].push_back(job);
    }

    /// Receives the jobs that have begun, and compares.
    fn expect_begun(&mut self, mut expected: Vec<(usize, usize)>) {
        let mut begun: Vec<_> = expected
            .iter()
            .map(|_| self.begun.recv().expect("jobs are running"))
            .collect();
        begun.sort_unstable();
        expected.sort_unstable();
        assert_eq!(
            begun, expected,
            "(job, worker) by the pool and by the policy"
        );
    }

    fn spawn_one(&mut self) {
        let loads = self.loads();
        let (number, job) = self.job();
        drop(self.pool.spawn(job));
        let worker = self
            .policy
            .whole(1, &View::of_queues(&loads), &mut self.rng);
        self.sent(number, worker);
        if loads[worker] == 0 {
            self.expect_begun(vec![(number, worker)]);
        }
    }

    fn spawn_batch(&mut self, size: usize) {
        let loads = self.loads();
        let (numbers, jobs): (Vec<_>, Vec<_>) = (0..size).map(|_| self.job()).unzip();
        drop(self.pool.spawn_batch(jobs));
        let mut out = Assignment::over(loads.len());
        self.policy.split(
            size as u32,
            &View::of_queues(&loads),
            &mut self.rng,
            &mut out,
        );
        let mut numbers = numbers.into_iter();
        let mut begun = Vec::new();
        for (worker, share) in out.iter() {
            for (place, number) in numbers.by_ref().take(share as usize).enumerate() {
                self.sent(number, worker);
                if place == 0 && loads[worker] == 0 {
                    begun.push((number, worker));
                }
            }
        }
        self.expect_begun(begun);
    }

    /// Ends the job that `worker` runs. The worker starts its next one, or falls idle.
    fn end_one(&mut self, worker: usize) {
        let parks = self.pool.metrics().workers[worker].parks;
        let Some(job) = self.jobs[worker].pop_front() else {
            return;
        };
        self.ends[job].send(()).unwrap();
        match self.jobs[worker].front() {
            Some(&next) => self.expect_begun(vec![(next, worker)]),
            None => {
                wait_until(|| self.pool.metrics().workers[worker].parks > parks);
                let loads = self.loads();
                self.policy.fell_idle(worker, &View::of_queues(&loads));
            }
        }
    }

    fn end_all(&mut self) {
        for worker in 0..self.jobs.len() {
            while !self.jobs[worker].is_empty() {
                self.end_one(worker);
            }
        }
    }
}

/// Random events, with periods in which much arrives and periods in which much ends.
fn check(policy: &'static str, batches: bool) {
    finishes(move || {
        for (workers, seed) in [(1, 1), (2, 2), (3, 0), (5, 77)] {
            let mut led = Led::new(policy, workers, seed);
            let mut events = Xoshiro256PlusPlus::seed_from_u64(seed);
            for event in 0..400 {
                let arrivals = if event / 50 % 2 == 0 { 0.6 } else { 0.4 };
                if !events.random_bool(arrivals) {
                    led.end_one(events.random_range(0..workers));
                } else if batches && events.random_bool(0.5) {
                    led.spawn_batch(events.random_range(1..=2 * workers));
                } else {
                    led.spawn_one();
                }
            }
            led.end_all();
        }
    });
}

#[test]
fn pi_sends_single_jobs_as_the_policy_does() {
    check("pi", false);
}

#[test]
fn pi_splits_batches_as_the_policy_does() {
    check("pi", true);
}

#[test]
fn jiq_sends_single_jobs_as_the_policy_does() {
    check("jiq", false);
}

#[test]
fn jiq_splits_batches_as_the_policy_does() {
    check("jiq", true);
}

#[test]
fn round_robin_sends_jobs_and_batches_as_the_policy_does() {
    check("round-robin", false);
    check("round-robin", true);
}

#[test]
fn random_sends_jobs_and_batches_as_the_policy_does() {
    check("random", false);
    check("random", true);
}

/// The loads that a pool shows its policy are the jobs in queue and in service.
#[test]
fn jsq_sends_single_jobs_as_the_policy_does() {
    check("jsq", false);
}
