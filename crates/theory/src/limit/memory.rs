//! The supermarket model with memory.
//!
//! **Statement.** Each job looks at d random servers and at the one that is remembered, joins the
//! shortest queue, and then the shortest of the d + 1 queues is remembered, counting the job. While
//! the shares s_i hardly change, the remembered length passes through its states many times. So it
//! is in the stationary state of its own chain: with m_i the probability that the remembered queue
//! has length i or more,
//!
//! m_0 = 1, m_i = m_{i−1} · s_i^d / (1 − d (s_{i−1} − s_i) s_i^{d−1}),
//!
//! and ds_i/dt = λ (s_{i−1}^d m_{i−1} − s_i^d m_i) − (s_i − s_{i+1}).
//!
//! The equation for m_i holds because the length remembered next is i or more in two cases: all
//! d + 1 queues have i jobs or more; or one of them has i − 1, gets the job, and the others have i
//! or more.
//!
//! **Hypotheses.** λ < 1, d fixed, one remembered server for all jobs.
//!
//! **Cited.** M. Mitzenmacher, B. Prabhakar, D. Shah, *Load balancing with memory*, FOCS 2002; M.
//! Luczak, J. Norris, *Averaging over fast variables in the fluid limit for Markov chains*, Annals
//! of Applied Probability 23 (2013), who prove the limit. The equations above are derived here from
//! the model; the text of neither paper was at hand.

use super::MeanField;
use super::supermarket::joins;

/// Each job joins the shortest of `choices` random queues and a remembered one: `jsq:D:1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupermarketWithMemory {
    /// λ: jobs for each server in a mean service time.
    pub lambda: f64,
    /// d, at least 1.
    pub choices: u32,
}

impl MeanField for SupermarketWithMemory {
    fn drift(&self, shares: &[f64], drift: &mut [f64]) {
        let (d, few) = (f64::from(self.choices), self.choices as i32);
        let (mut remembered, mut before) = (1.0, 1.0);
        joins(shares, drift, |jobs, tail| {
            // Rounding may leave less than nothing.
            let tail = if jobs == 0 { 1.0 } else { tail.max(0.0) };
            if jobs > 0 {
                let others = d * (before - tail) * tail.powi(few - 1);
                // While no queue has a job, one that is remembered gets the first and keeps it.
                let is_new = tail == 0.0 && others == 1.0;
                let stays = if is_new {
                    1.0
                } else {
                    tail.powi(few) / (1.0 - others)
                };
                remembered *= stays;
            }
            before = tail;
            self.lambda * tail.powi(few) * remembered
        });
    }

    fn stride(&self) -> f64 {
        // The remembered queue alone may get every job, and its share of all queues is small.
        1.0 / (1.0 + self.lambda * f64::from(self.choices + 1) * 4.0)
    }

    fn arrivals(&self) -> f64 {
        self.lambda
    }
}
