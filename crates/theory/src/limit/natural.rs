//! The natural process with very many processors.
//!
//! **Statement.** Let p be the shares of processors with each number of jobs. A step of BFG03's
//! chain X becomes, as n → ∞:
//!
//! 1. *Jobs arrive.* A processor gains a Poisson number of jobs of mean λ. Let x be the shares
//!    then, and e = x_0.
//! 2. *Empty processors ask.* en requests go to random processors, so a processor receives a
//!    Poisson number of them of mean e, whatever its load: it is asked with probability a = 1 −
//!    exp(−e).
//! 3. *Asked processors give.* A share a·x_l of all processors has l jobs and is asked. Each of
//!    them keeps l − f(l) jobs and gives f(l) to one of those that asked it, which had none.
//! 4. *Every queue processes one job.*
//!
//! **Hypotheses.** λ < 1; generators are placed `uniform`; f does not depend on n. (Under `each` a
//! processor gets at most one job a step and processes it at once, so nothing is to be computed.
//! The other placements load a vanishing share of the processors with nearly all jobs.)
//!
//! **Cited.** The process is that of BFG03, Figure 1. The limit is derived here: the chain is a
//! density-dependent population process with bounded fractions, to which the method of
//! Mitzenmacher (thesis, 1996) applies.

use filch_policy::steal::Steal;

use super::MeanField;

/// The limit of the natural process with generators at random places.
#[derive(Clone, Debug)]
pub struct NaturalLimit<F> {
    /// The probability of each number of arrivals.
    arrivals: Vec<f64>,
    lambda: f64,
    steal: F,
}

/// What is sent and moved in a step, for each processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flows {
    /// Requests.
    pub requests: f64,
    /// Requests that move a job or more.
    pub steals: f64,
    /// Jobs that move.
    pub moved: f64,
}

/// Numbers of arrivals beyond these have less probability together.
const NEGLIGIBLE: f64 = 1e-18;

impl<F: Steal> NaturalLimit<F> {
    /// With λ from 0 to 1.
    pub fn new(lambda: f64, steal: F) -> Self {
        Self {
            arrivals: poisson(lambda),
            lambda,
            steal,
        }
    }

    /// The shares after the arrivals of a step.
    fn after_arrivals(&self, shares: &[f64]) -> Vec<f64> {
        let most = shares.len() - 1;
        let mut loads = vec![0.0; shares.len()];
        for (jobs, &share) in shares.iter().enumerate() {
            for (more, &probability) in self.arrivals.iter().enumerate() {
                loads[(jobs + more).min(most)] += share * probability;
            }
        }
        loads
    }

    /// What is sent and moved in a step that begins with these shares.
    pub fn flows(&self, shares: &[f64]) -> Flows {
        let loads = self.after_arrivals(shares);
        let asked = asked(loads[0]);
        let mut flows = Flows {
            requests: loads[0],
            steals: 0.0,
            moved: 0.0,
        };
        for (jobs, share) in loads.iter().enumerate() {
            let given = self.steal.jobs(jobs as u64);
            if given > 0 {
                flows.steals += asked * share;
                flows.moved += asked * share * given as f64;
            }
        }
        flows
    }
}

/// The probability that a processor is asked when a share `empty` of all processors ask.
fn asked(empty: f64) -> f64 {
    -(-empty).exp_m1()
}

fn poisson(mean: f64) -> Vec<f64> {
    let (mut term, mut law) = ((-mean).exp(), Vec::new());
    let mut number = 0.0;
    while number <= mean || term > NEGLIGIBLE {
        law.push(term);
        number += 1.0;
        term *= mean / number;
    }
    law
}

impl<F: Steal> MeanField for NaturalLimit<F> {
    fn drift(&self, shares: &[f64], drift: &mut [f64]) {
        let mut loads = self.after_arrivals(shares);
        let asked = asked(loads[0]);
        let mut given_to = vec![0.0; loads.len()];
        for jobs in 2..loads.len() {
            let given = self.steal.jobs(jobs as u64) as usize;
            if given > 0 {
                let moved = asked * loads[jobs];
                given_to[jobs] -= moved;
                given_to[jobs - given] += moved;
                given_to[given] += moved;
                given_to[0] -= moved;
            }
        }
        let changed = loads.iter_mut().zip(&given_to);
        changed.for_each(|(load, change)| *load += change);
        for (jobs, drift) in drift.iter_mut().enumerate() {
            *drift = loads.get(jobs + 1).unwrap_or(&0.0) - shares[jobs];
        }
        drift[0] += loads[0];
    }

    fn stride(&self) -> f64 {
        1.0
    }

    fn arrivals(&self) -> f64 {
        self.lambda
    }
}
