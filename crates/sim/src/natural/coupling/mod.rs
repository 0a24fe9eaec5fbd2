//! Chains X and Z on the same random choices.

#[cfg(test)]
mod beside_simpler;
mod choices;
mod invariants;
mod transitions;

pub use invariants::BrokenInvariant;

use filch_workload::{Place, Probability};
use num_bigint::BigUint;
use rand::Rng;
use rand::distr::Bernoulli;
use transitions::minus;

/// The coupling of BFG03, section 4.4: X from x and Z from Z(x) on the same allocations, jobs,
/// requests and choices.
///
/// The proof of Theorem 10 rests on three invariants that hold for every t ≤ min(T, τ′, Ψ):
///
/// 1. the same processors ask the same ones in both chains,
/// 2. L(i) = 0 implies X(i) = Y(i),
/// 3. L(i) = 2^j implies X(i) ≥ g^{z−j}(Φ_f/n) − t.
///
/// Each chain makes its transition by its own figure, and the invariants are checked in every step.
/// Loads start at Φ_f/n, which has hundreds of digits, so loads and the values of f are integers of
/// any size.
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
    /// For each heavily loaded processor z − lg L: how often its load has been split.
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

/// The result of a coupled run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CouplingOutcome {
    /// Why it ended.
    pub stop: Stop,
    /// min(T, τ′, Ψ).
    pub steps: u64,
    /// Requests made until then.
    pub requests: u64,
    /// Heavily loaded processors at the end.
    pub heavily_loaded: usize,
    /// The first violated invariant, if any; the run ends there.
    pub broken: Option<BrokenInvariant>,
}

impl<P: Place, F: Fn(&BigUint) -> BigUint> Coupling<P, F> {
    /// X from the state `start`, Z from the corresponding state Z(x).
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

    /// Runs chain X alone for T steps. Returns Φ(X_T) − Φ(X_0), the change that Lemma 19 is about.
    ///
    /// # Panics
    ///
    /// If the load changes by 2⁶³ jobs or more, which takes that many generators.
    pub fn change_of_load<R: Rng>(mut self, rng: &mut R) -> i64 {
        let before: BigUint = self.queues.iter().sum();
        for step in 0..self.steps {
            let choices = self.draw(step, rng);
            self.move_x(&choices);
        }
        let after: BigUint = self.queues.iter().sum();
        let distance = |larger: &BigUint, smaller: &BigUint| {
            i64::try_from(larger - smaller).expect("at most n jobs in a step")
        };
        if after >= before {
            distance(&after, &before)
        } else {
            -distance(&before, &after)
        }
    }

    /// Runs to min(T, τ′, Ψ), or to the first violated invariant.
    pub fn run<R: Rng>(mut self, rng: &mut R) -> CouplingOutcome {
        let mut requests = 0;
        for step in 0.. {
            let stop = if self.splits.contains(&Some(self.levels.len() - 1)) {
                Some(Stop::Splits)
            } else if requests as f64 >= self.requests {
                Some(Stop::Requests)
            } else {
                (step >= self.steps).then_some(Stop::Steps)
            };
            // Invariant 1 at time t is about the requests of the transition from t to t + 1.
            let choices = self.draw(step, rng);
            let broken = self
                .broken_state(step)
                .or_else(|| self.broken_requests(step, &choices));
            if stop.is_some() || broken.is_some() {
                return CouplingOutcome {
                    stop: stop.unwrap_or(Stop::Steps),
                    steps: step,
                    requests,
                    heavily_loaded: self.splits.iter().flatten().count(),
                    broken,
                };
            }
            requests += choices.asks.iter().flatten().count() as u64;
            self.move_x(&choices);
            self.move_z(&choices);
        }
        unreachable!("the run ends after T steps")
    }
}
