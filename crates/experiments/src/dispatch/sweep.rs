//! Every policy in front of every farm under every demand.

use std::error::Error;
use std::fmt;

use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_sim::farm::{self, Batches, FarmOutcome, Length, Run};

use super::demand::{Demand, Farm, TooMuch};
use super::estimates::Estimates;
use super::portions::{Simulation, simulate};
use crate::Progress;

/// What to simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep<'a> {
    /// The servers.
    pub farms: &'a [Farm],
    /// What arrives in front of each of them.
    pub demands: &'a [Demand],
    /// Whole batches, split ones, or both.
    pub batches: &'a [Batches],
    /// The policies.
    pub policies: &'a [Spec],
    /// How many slots each run has.
    pub slots: u32,
    /// Slots at the start that do not count. If this is `None`, MSER-5 finds the warm-up of the
    /// mean queue, and messages and completion times count from the start.
    pub warm_up: Option<u32>,
    /// What all randomness comes from.
    pub seed: Seed,
}

/// One farm under one demand, with every policy.
#[derive(Clone, Debug)]
pub struct Situation<'a, P = Spec> {
    /// The servers.
    pub farm: &'a Farm,
    /// What arrives.
    pub demand: &'a Demand,
    /// Whether batches are split.
    pub batches: Batches,
    /// A run for each policy, in the order of the sweep.
    pub runs: Vec<FarmRun<P>>,
}

/// A run of one policy.
#[derive(Clone, Debug)]
pub struct FarmRun<P = Spec> {
    /// What happened.
    pub outcome: FarmOutcome<P>,
    /// The estimates from it.
    pub estimates: Estimates<P>,
}

impl<P: Clone> FarmRun<P> {
    /// Concludes from `outcome`, as [`Estimates::of`] does.
    pub fn of(outcome: FarmOutcome<P>, warm_up: Option<u32>) -> Self {
        Self {
            estimates: Estimates::of(&outcome, warm_up),
            outcome,
        }
    }

    /// The same with something else in place of the policy, such as its name.
    pub fn called<Q: Clone>(self, policy: Q) -> FarmRun<Q> {
        FarmRun {
            outcome: self.outcome.called(policy.clone()),
            estimates: self.estimates.called(policy),
        }
    }
}

impl<'a> Sweep<'a> {
    /// Makes all runs on common random numbers, on all cores.
    ///
    /// # Errors
    ///
    /// If a load is too much, a policy cannot work in front of a farm, or a trace cannot be read.
    ///
    /// # Panics
    ///
    /// If the runs are longer than [`Length::MOST_SLOTS`].
    pub fn simulate(&self, progress: &dyn Progress) -> Result<Vec<Situation<'a>>, SweepError> {
        let mut situations = Vec::new();
        let mut simulations = Vec::new();
        for farm in self.farms {
            for demand in self.demands {
                let arrivals = demand.arrivals(&farm.servers)?;
                for &batches in self.batches {
                    simulations.extend(self.policies.iter().map(|&policy| Simulation {
                        servers: &farm.servers,
                        run: Run::of(policy, batches, arrivals.clone()),
                    }));
                    situations.push(Situation {
                        farm,
                        demand,
                        batches,
                        runs: Vec::new(),
                    });
                }
            }
        }
        let outcomes = simulate(&simulations, self.length(), self.seed, progress)?;
        let mut runs = outcomes
            .into_iter()
            .map(|outcome| FarmRun::of(outcome, self.warm_up));
        for situation in &mut situations {
            situation.runs = runs.by_ref().take(self.policies.len()).collect();
        }
        Ok(situations)
    }
}

impl Sweep<'_> {
    /// How long each run is.
    pub fn length(&self) -> Length {
        Length {
            warm_up: self.warm_up.unwrap_or(0),
            ..Length::of(self.slots)
        }
    }
}

/// Why a sweep cannot be made.
#[derive(Debug)]
pub enum SweepError {
    /// A load is too much.
    Demand(TooMuch),
    /// A run cannot be made.
    Run(farm::Error),
}

impl From<TooMuch> for SweepError {
    fn from(error: TooMuch) -> Self {
        Self::Demand(error)
    }
}

impl From<farm::Error> for SweepError {
    fn from(error: farm::Error) -> Self {
        Self::Run(error)
    }
}

impl fmt::Display for SweepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Demand(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl Error for SweepError {}
