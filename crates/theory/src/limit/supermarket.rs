//! The supermarket model: a job joins the shortest of d queues.
//!
//! **Statement.** Jobs arrive at rate λn at n servers with exponential service times of mean 1.
//! Each looks at d random servers and joins the shortest queue. With s_i the share of queues of
//! length i or more,
//!
//! ds_i/dt = λ (s_{i−1}^d − s_i^d) − (s_i − s_{i+1}),
//!
//! whose fixed point is s_i = λ^((d^i − 1)/(d − 1)), and λ^i for d = 1 (n queues M/M/1).
//!
//! **Hypotheses.** λ < 1, d fixed as n → ∞.
//!
//! **Cited.** N. Vvedenskaya, R. Dobrushin, F. Karpelevich, *Queueing system with selection of the
//! shortest of two queues: an asymptotic approach*, Problems of Information Transmission 32 (1996);
//! M. Mitzenmacher, *The power of two choices in randomized load balancing*, thesis, Berkeley 1996.

use super::{Limit, MeanField, NoLimit};

/// Each job joins the shortest of `choices` random queues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supermarket {
    /// λ: jobs for each server in a mean service time.
    pub lambda: f64,
    /// d, at least 1.
    pub choices: u32,
}

impl Supermarket {
    /// The limit by its closed form.
    ///
    /// # Errors
    ///
    /// If λ is 1 or more, or so close to 1 that millions of jobs in one queue are common.
    pub fn limit(&self) -> Result<Limit, NoLimit> {
        let &Self { lambda, choices } = self;
        if lambda >= 1.0 {
            return Err(NoLimit::Overloaded);
        }
        Limit::from_tails(lambda, (1..).map(|jobs| tail(lambda, choices, jobs)))
    }
}

impl MeanField for Supermarket {
    fn drift(&self, shares: &[f64], drift: &mut [f64]) {
        let choices = self.choices as i32;
        joins(shares, drift, |_, tail| self.lambda * tail.powi(choices));
    }

    fn stride(&self) -> f64 {
        1.0 / (1.0 + self.lambda * f64::from(self.choices))
    }

    fn arrivals(&self) -> f64 {
        self.lambda
    }
}

/// The drift of queues that serve at rate 1, where jobs come at rate `at_least(i, s_i)` to a queue
/// of length i or more.
pub(super) fn joins(
    shares: &[f64],
    drift: &mut [f64],
    mut at_least: impl FnMut(usize, f64) -> f64,
) {
    drift.fill(0.0);
    let mut tail: f64 = shares.iter().sum();
    let mut rate = at_least(0, tail);
    for (jobs, &share) in shares.iter().enumerate() {
        tail -= share;
        if jobs > 0 {
            drift[jobs] -= share;
            drift[jobs - 1] += share;
        }
        if jobs + 1 < shares.len() {
            let rate_above = at_least(jobs + 1, tail);
            drift[jobs] -= rate - rate_above;
            drift[jobs + 1] += rate - rate_above;
            rate = rate_above;
        }
    }
}

/// The closed form: the share of queues of length `jobs` or more.
pub fn tail(lambda: f64, choices: u32, jobs: u32) -> f64 {
    let exponent = match choices {
        1 => f64::from(jobs),
        _ => (f64::from(choices).powf(f64::from(jobs)) - 1.0) / (f64::from(choices) - 1.0),
    };
    lambda.powf(exponent)
}
