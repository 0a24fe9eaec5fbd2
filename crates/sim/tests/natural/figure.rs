//! Figure 1 of BFG03 as exact probabilities: every outcome of a step, with its probability.

use std::collections::HashMap;

use filch_policy::steal::{Steal, StealFunction};
use filch_workload::Placement;

pub(crate) type State = Vec<u64>;

/// The quantities of a step whose means are compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Means {
    pub(crate) load: f64,
    pub(crate) longest: f64,
    pub(crate) requests: f64,
    pub(crate) steals: f64,
    pub(crate) moved: f64,
}

/// The law of a step from one state: the probability of each next state, and means.
#[derive(Clone, Debug, Default)]
pub(crate) struct Law {
    pub(crate) next: HashMap<State, f64>,
    pub(crate) means: Means,
}

/// The process on a few processors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) n: usize,
    pub(crate) lambda: f64,
    pub(crate) steal: StealFunction,
    pub(crate) placement: Placement,
}

impl Process {
    /// The law of a step from `state` in step number `step`.
    pub(crate) fn step(&self, step: usize, state: &State) -> Law {
        let mut law = Law::default();
        let allocations = self.allocations(step, state);
        let share = 1.0 / allocations.len() as f64;
        for hosts in allocations {
            for (jobs, probability) in self.arrivals(hosts) {
                let queues: State = state.iter().zip(&jobs).map(|(x, jobs)| x + jobs).collect();
                self.requests(&queues, share * probability, &mut law);
            }
        }
        law
    }

    /// Part 1: laws of the allocation, all equally likely. Each gives for each generator the
    /// probability of each host; generators are independent.
    fn allocations(&self, step: usize, state: &State) -> Vec<Vec<Vec<f64>>> {
        let n = self.n;
        let at = |host: usize| (0..n).map(|i| f64::from(u8::from(i == host))).collect();
        let weighted = |exponent: f64| {
            let weights: Vec<f64> = (1..=n).map(|i| (i as f64).powf(-exponent)).collect();
            let whole: f64 = weights.iter().sum();
            weights.into_iter().map(|weight| weight / whole).collect()
        };
        let together = |host: usize| vec![at(host); n];
        let first = |length: Option<&u64>| {
            let position = state.iter().position(|queue| Some(queue) == length);
            position.expect("a processor")
        };
        match self.placement {
            Placement::Roam => return (0..n).map(together).collect(),
            Placement::Longest => return vec![together(first(state.iter().max()))],
            Placement::Shortest => return vec![together(first(state.iter().min()))],
            _ => {}
        }
        let independent = (0..n)
            .map(|generator| match self.placement {
                Placement::Each => at(generator),
                Placement::One => at(0),
                Placement::First(k) => at(generator % k.get() as usize),
                Placement::Rotate => at(step % n),
                Placement::Uniform => weighted(0.0),
                Placement::Zipf(exponent) => weighted(exponent.get()),
                Placement::Roam | Placement::Longest | Placement::Shortest => unreachable!(),
            })
            .collect();
        vec![independent]
    }

    /// Part 2: the jobs that arrive, generator by generator.
    fn arrivals(&self, hosts: Vec<Vec<f64>>) -> HashMap<State, f64> {
        let mut arrivals = HashMap::from([(vec![0; self.n], 1.0)]);
        for hosts in hosts {
            let mut next = HashMap::new();
            for (jobs, probability) in arrivals {
                *next.entry(jobs.clone()).or_default() += probability * (1.0 - self.lambda);
                for (host, share) in hosts.iter().enumerate() {
                    let mut jobs = jobs.clone();
                    jobs[host] += 1;
                    *next.entry(jobs).or_default() += probability * self.lambda * share;
                }
            }
            next.retain(|_, probability| *probability > 0.0);
            arrivals = next;
        }
        arrivals
    }

    /// Part 3: all outcomes of the requests.
    fn requests(&self, queues: &State, probability: f64, law: &mut Law) {
        let empty: Vec<usize> = (0..self.n).filter(|&i| queues[i] == 0).collect();
        let ways = self.n.pow(empty.len() as u32);
        let probability = probability / ways as f64;
        for way in 0..ways {
            let mut asked = vec![Vec::new(); self.n];
            let mut code = way;
            for &recipient in &empty {
                asked[code % self.n].push(recipient);
                code /= self.n;
            }
            law.means.requests += probability * empty.len() as f64;
            self.choices(queues, &asked, probability, law);
        }
    }

    /// Parts 4 and 5: all choices of recipients, and what follows.
    fn choices(&self, queues: &State, asked: &[Vec<usize>], probability: f64, law: &mut Law) {
        let ways: usize = asked.iter().map(|askers| askers.len().max(1)).product();
        let probability = probability / ways as f64;
        for way in 0..ways {
            let mut code = way;
            let mut after = queues.clone();
            for (processor, askers) in asked.iter().enumerate().filter(|(_, a)| !a.is_empty()) {
                let recipient = askers[code % askers.len()];
                code /= askers.len();
                let jobs = self.steal.jobs(queues[processor]);
                after[processor] -= jobs;
                after[recipient] += jobs;
                law.means.steals += probability * f64::from(u8::from(jobs > 0));
                law.means.moved += probability * jobs as f64;
            }
            for queue in &mut after {
                *queue = queue.saturating_sub(1);
            }
            law.means.load += probability * after.iter().sum::<u64>() as f64;
            law.means.longest += probability * *after.iter().max().unwrap() as f64;
            *law.next.entry(after).or_default() += probability;
        }
    }
}
