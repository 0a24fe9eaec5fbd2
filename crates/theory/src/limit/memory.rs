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
//! At the fixed point as many jobs come to queues of length i or more as leave those of length
//! i + 1 or more: s_{i+1} = λ s_i^d m_i, with s_1 = λ. So each tail follows from the two before it.
//!
//! **Hypotheses.** λ < 1, d fixed, one remembered server for all jobs.
//!
//! **Cited.** M. Mitzenmacher, B. Prabhakar, D. Shah, *Load balancing with memory*, FOCS 2002; M.
//! Luczak, J. Norris, *Averaging over fast variables in the fluid limit for Markov chains*, Annals
//! of Applied Probability 23 (2013), who prove the limit. The equations above are derived here from
//! the model; the text of neither paper was at hand.

use super::supermarket::joins;
use super::{Limit, MeanField, NoLimit};

/// Each job joins the shortest of `choices` random queues and a remembered one: `jsq:D:1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupermarketWithMemory {
    /// λ: jobs for each server in a mean service time.
    pub lambda: f64,
    /// d, at least 1.
    pub choices: u32,
}

impl SupermarketWithMemory {
    /// The limit by its recursion.
    ///
    /// # Errors
    ///
    /// If λ is 1 or more.
    pub fn limit(&self) -> Result<Limit, NoLimit> {
        let lambda = self.lambda;
        if lambda >= 1.0 {
            return Err(NoLimit::Overloaded);
        }
        let mut memory = Memory::new(self.choices);
        let next = |tail: &f64| Some(lambda * memory.joined(*tail));
        Limit::from_tails(lambda, std::iter::successors(Some(1.0), next).skip(1))
    }
}

/// The remembered queue, met with one length after the other.
struct Memory {
    choices: u32,
    /// m_i for the length i met last; 1 before any.
    remembered: f64,
    /// s_i for that length.
    tail: Option<f64>,
}

impl Memory {
    fn new(choices: u32) -> Self {
        Self {
            choices,
            remembered: 1.0,
            tail: None,
        }
    }

    /// The probability s_i^d m_i that a job joins a queue of length i or more, for i = 0, 1, …, of
    /// which `tail` is s_i.
    fn joined(&mut self, tail: f64) -> f64 {
        let (d, few) = (f64::from(self.choices), self.choices as i32);
        if let Some(before) = self.tail.replace(tail) {
            let others = d * (before - tail) * tail.powi(few - 1);
            // While no queue has a job, one that is remembered gets the first and keeps it.
            let is_new = tail == 0.0 && others == 1.0;
            if !is_new {
                self.remembered *= tail.powi(few) / (1.0 - others);
            }
        }
        tail.powi(few) * self.remembered
    }
}

impl MeanField for SupermarketWithMemory {
    fn drift(&self, shares: &[f64], drift: &mut [f64]) {
        let mut memory = Memory::new(self.choices);
        joins(shares, drift, |jobs, tail| {
            // Rounding may leave less than nothing.
            let tail = if jobs == 0 { 1.0 } else { tail.max(0.0) };
            self.lambda * memory.joined(tail)
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
