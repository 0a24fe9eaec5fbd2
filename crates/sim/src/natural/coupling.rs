//! Chains X and Z side by side.

use filch_workload::{Place, Probability};
use num_bigint::BigUint;
use rand::distr::Bernoulli;
use rand::{Rng, RngExt};
use rand_distr::Distribution;

/// The coupling of BFG03, section 4.4: X from x and Z from Z(x) on the same allocations, jobs,
/// requests and choices.
///
/// The proof of Theorem 10 rests on three invariants that hold for every t ≤ min(T, τ′, Ψ):
///
/// 1. the same processors ask the same ones in both chains,
/// 2. L(i) = 0 implies X(i) = Y(i),
/// 3. L(i) = 2^j implies X(i) ≥ g^{z−j}(Φ_f/n) − t.
///
/// Both chains make their own transition here, each by its own figure, and the invariants are
/// looked at in every step. Loads start at Φ_f/n, which has hundreds of digits, so they are exact
/// integers of any size; so are the values of f, which is therefore given as a function of such
/// integers.
#[derive(Clone, Debug)]
pub struct Coupling<P, F> {
    place: P,
    job: Bernoulli,
    steal: F,
    /// T.
    steps: u64,
    /// c·n·lg n, the number of requests that makes τ′.
    requests: f64,
    /// g^0(Φ_f/n), …, g^z(Φ_f/n).
    levels: Vec<BigUint>,
    /// X.
    queues: Vec<BigUint>,
    /// z − lg L of the heavily loaded: how often the load has been split.
    splits: Vec<Option<usize>>,
    /// Y.
    light: Vec<BigUint>,
}

/// Which of the three times came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// T.
    Steps,
    /// τ′.
    Requests,
    /// Ψ.
    Splits,
}

/// An invariant that did not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its number in the paper, 1 to 3.
    pub invariant: u8,
    /// The t for which.
    pub step: u64,
    /// A processor for which, counted from 0.
    pub processor: usize,
}

/// What a coupled run showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub stop: Stop,
    /// min(T, τ′, Ψ).
    pub steps: u64,
    /// Requests made until then.
    pub requests: u64,
    /// Heavily loaded processors at the end.
    pub heavily_loaded: usize,
    /// The first invariant that broke, if one did; the run ends there.
    pub broken: Option<Broken>,
}

/// The random choices of a step.
#[derive(Clone, Debug)]
struct Shared {
    /// How many jobs each processor's generators make.
    jobs: Vec<u64>,
    /// r: whom each processor asks.
    asks: Vec<Option<usize>>,
    /// Of each processor, the one that it chose among those that asked it.
    chosen: Vec<Option<usize>>,
}

impl<P: Place, F: Fn(&BigUint) -> BigUint> Coupling<P, F> {
    /// X from the state `start`, Z from the state that belongs to it.
    ///
    /// `share` is Φ_f/n, `steps` is T, `splits` is z, and `requests` is c·n·lg n. Returns `None` if
    /// no processor has at least Φ_f/n jobs, so that there is no Z(x).
    pub fn new(
        start: Vec<BigUint>,
        share: &BigUint,
        (steps, splits, requests): (u64, usize, f64),
        place: P,
        lambda: Probability,
        steal: F,
    ) -> Option<Self> {
        let heavy = start.iter().position(|load| load >= share)?;
        let mut levels = vec![share.clone()];
        for at in 0..splits {
            levels.push(steal(&minus(&levels[at], steps)));
        }
        let mut light = start.clone();
        light[heavy] = BigUint::ZERO;
        let mut split = vec![None; start.len()];
        split[heavy] = Some(0);
        Some(Self {
            place,
            job: Bernoulli::new(lambda.get()).expect("λ is a probability"),
            steal,
            steps,
            requests,
            levels,
            queues: start,
            splits: split,
            light,
        })
    }

    /// Runs to min(T, τ′, Ψ), or to the first invariant that breaks.
    pub fn run<R: Rng>(mut self, rng: &mut R) -> Outcome {
        let mut requests = 0;
        for step in 0.. {
            let stop = if self.splits.contains(&Some(self.levels.len() - 1)) {
                Some(Stop::Splits)
            } else if requests as f64 >= self.requests {
                Some(Stop::Requests)
            } else {
                (step >= self.steps).then_some(Stop::Steps)
            };
            // Invariant 1 is about the requests of the next transition, and is claimed for this t
            // too.
            let shared = self.draw(step, rng);
            let broken = self
                .broken_state(step)
                .or_else(|| self.broken_requests(step, &shared));
            if stop.is_some() || broken.is_some() {
                return Outcome {
                    stop: stop.unwrap_or(Stop::Steps),
                    steps: step,
                    requests,
                    heavily_loaded: self.splits.iter().flatten().count(),
                    broken,
                };
            }
            requests += shared.asks.iter().flatten().count() as u64;
            self.move_x(&shared);
            self.move_z(&shared);
        }
        unreachable!("the run ends after T steps")
    }

    /// The random choices of a step, which are made from X and shared by Z.
    fn draw<R: Rng>(&mut self, step: u64, rng: &mut R) -> Shared {
        let n = self.queues.len();
        let mut hosted = vec![0; n];
        self.place.place(step, rng, &mut hosted);
        let mut make = |generators: u32| -> u64 {
            (0..generators)
                .map(|_| u64::from(self.job.sample(rng)))
                .sum()
        };
        let jobs: Vec<u64> = hosted.into_iter().map(&mut make).collect();
        let mut asks = vec![None; n];
        let mut chosen = vec![None; n];
        let mut count = vec![0u32; n];
        for recipient in 0..n {
            if self.queues[recipient] == BigUint::ZERO && jobs[recipient] == 0 {
                let processor = rng.random_range(0..n);
                asks[recipient] = Some(processor);
                count[processor] += 1;
                if rng.random_range(0..count[processor]) == 0 {
                    chosen[processor] = Some(recipient);
                }
            }
        }
        Shared { jobs, asks, chosen }
    }

    /// Figure 1, parts 2, 4 and 5.
    fn move_x(&mut self, shared: &Shared) {
        for (queue, &jobs) in self.queues.iter_mut().zip(&shared.jobs) {
            *queue += jobs;
        }
        let before = self.queues.clone();
        for (processor, recipient) in shared.chosen.iter().enumerate() {
            if let Some(recipient) = *recipient {
                let jobs = (self.steal)(&before[processor]);
                self.queues[processor] -= &jobs;
                self.queues[recipient] += jobs;
            }
        }
        for queue in &mut self.queues {
            *queue = minus(queue, 1);
        }
    }

    /// Figure 2, parts 2, 4 and 5.
    fn move_z(&mut self, shared: &Shared) {
        for (processor, light) in self.light.iter_mut().enumerate() {
            if self.splits[processor].is_none() {
                *light += shared.jobs[processor];
            }
        }
        let before = (self.splits.clone(), self.light.clone());
        for (processor, recipient) in shared.chosen.iter().enumerate() {
            let Some(recipient) = *recipient else {
                continue;
            };
            if let Some(splits) = before.0[processor] {
                self.splits[processor] = Some(splits + 1);
                self.splits[recipient] = Some(splits + 1);
            }
            let jobs = (self.steal)(&before.1[processor]);
            self.light[processor] -= &jobs;
            self.light[recipient] += jobs;
        }
        for (light, splits) in self.light.iter_mut().zip(&self.splits) {
            *light = match splits {
                Some(_) => BigUint::ZERO,
                None => minus(light, 1),
            };
        }
    }

    /// A processor for which invariant 2 or 3 does not hold after `step` steps.
    fn broken_state(&self, step: u64) -> Option<Broken> {
        (0..self.queues.len()).find_map(|processor| {
            let queue = &self.queues[processor];
            let (invariant, holds) = match self.splits[processor] {
                None => (2, *queue == self.light[processor]),
                Some(splits) => (3, queue + step >= self.levels[splits]),
            };
            (!holds).then_some(Broken {
                invariant,
                step,
                processor,
            })
        })
    }

    /// A processor that asks in one chain and not in the other.
    fn broken_requests(&self, step: u64, shared: &Shared) -> Option<Broken> {
        let asks_in_z = |processor: usize| {
            self.splits[processor].is_none()
                && self.light[processor] == BigUint::ZERO
                && shared.jobs[processor] == 0
        };
        (0..self.queues.len())
            .find(|&processor| asks_in_z(processor) != shared.asks[processor].is_some())
            .map(|processor| Broken {
                invariant: 1,
                step,
                processor,
            })
    }
}

/// load − jobs, but not below 0.
fn minus(load: &BigUint, jobs: u64) -> BigUint {
    let jobs = BigUint::from(jobs);
    if *load > jobs {
        load - jobs
    } else {
        BigUint::ZERO
    }
}
