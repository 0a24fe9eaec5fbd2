//! Work stealing in continuous time: Mitzenmacher's equations.
//!
//! **Statement.** Jobs arrive at each of n processors at rate λ. Their times are exponential, of
//! mean one. A processor that ends its last job looks at `attempts` random processors. If the most
//! loaded of them has `threshold` jobs or more, f of these move. A processor that stays empty looks
//! again at rate `retries`. With s_i the share of processors with i jobs or more, f = 1, one
//! attempt, no retries and a threshold T, as n → ∞
//!
//! ds_1/dt = λ (s_0 − s_1) − (s_1 − s_2)(1 − s_T),
//! ds_i/dt = λ (s_{i−1} − s_i) − (s_i − s_{i+1}) for 2 ≤ i < T,
//! ds_i/dt = λ (s_{i−1} − s_i) − (s_i − s_{i+1})(1 + s_1 − s_2) for i ≥ T.
//!
//! For T = 2 the fixed point is s_1 = λ, s_2 = (1 + λ − √(1 + 2λ − 3λ²))/2, and from there on
//! s_{i+1}/s_i = λ/(1 + λ − s_2): stealing makes the tail geometrically thinner than the λ^i of
//! M/M/1. The last ratio holds from T − 1 on for every threshold T.
//!
//! **Hypotheses.** λ < 1; the threshold, the attempts and f are fixed as n → ∞. A thief never takes
//! more than half, rounded down (BFG03, Property 1), so the threshold is at least 2.
//!
//! **Cited.** M. Mitzenmacher, *Analyses of load stealing models based on families of differential
//! equations*, Theory of Computing Systems 34 (2001) 77–98; first in SPAA 1998. The abstract was at
//! hand; the equations are derived from the model, and the closed form is checked against them.

use filch_policy::steal::Steal;

use super::MeanField;

/// Stealing by processors that fall idle.
#[derive(Clone, Debug, PartialEq)]
pub struct StealingLimit<F> {
    /// λ: jobs for each processor in a mean service time.
    pub lambda: f64,
    /// f: how many jobs of a victim move.
    pub steal: F,
    /// T: a victim with fewer jobs gives nothing.
    pub threshold: u64,
    /// At how many victims a thief looks, at least 1.
    pub attempts: u32,
    /// How often an empty processor tries again, in a mean service time.
    pub retries: f64,
}

impl<F: Steal> StealingLimit<F> {
    /// One attempt when the last job ends, from any victim that has something to give.
    pub fn new(lambda: f64, steal: F) -> Self {
        Self {
            lambda,
            steal,
            threshold: 2,
            attempts: 1,
            retries: 0.0,
        }
    }
}

impl<F: Steal> MeanField for StealingLimit<F> {
    fn drift(&self, shares: &[f64], drift: &mut [f64]) {
        drift.fill(0.0);
        let most = shares.len() - 1;
        for (jobs, &share) in shares.iter().enumerate() {
            if jobs < most {
                drift[jobs] -= self.lambda * share;
                drift[jobs + 1] += self.lambda * share;
            }
            if jobs > 0 {
                drift[jobs] -= share;
                drift[jobs - 1] += share;
            }
        }
        let thieves = shares[1] + self.retries * shares[0];
        // The most loaded of several victims has up to so many jobs with this probability.
        let (mut share_up_to, mut below) = (0.0f64, 0.0);
        for (jobs, &share) in shares.iter().enumerate() {
            share_up_to += share;
            let up_to = share_up_to.powi(self.attempts as i32);
            let found = up_to - below;
            below = up_to;
            let given = self.steal.jobs(jobs as u64) as usize;
            if given > 0 && jobs as u64 >= self.threshold {
                let moved = thieves * found;
                drift[jobs] -= moved;
                drift[jobs - given] += moved;
                drift[given] += moved;
                drift[0] -= moved;
            }
        }
    }

    fn stride(&self) -> f64 {
        let attempts = f64::from(self.attempts);
        1.0 / (1.0 + self.lambda + (1.0 + self.retries) * (1.0 + attempts))
    }

    fn arrivals(&self) -> f64 {
        self.lambda
    }
}

/// The closed form for f = 1, T = 2, one attempt and no retries: the share of processors with
/// `jobs` jobs or more.
pub fn steal_one_tail(lambda: f64, jobs: u32) -> f64 {
    let two = (1.0 + lambda - (1.0 + 2.0 * lambda - 3.0 * lambda * lambda).sqrt()) / 2.0;
    match jobs {
        0 => 1.0,
        1 => lambda,
        _ => two * (lambda / (1.0 + lambda - two)).powi(jobs as i32 - 2),
    }
}
