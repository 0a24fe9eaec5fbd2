//! What `filch dispatch` is to simulate: the arguments, or a scenario file and the arguments.

use std::num::NonZero;

use filch_experiments::dispatch::{Demand, Farm, Sweep};
use filch_policy::dispatch::{Spec, View};
use filch_random::Seed;
use filch_sim::farm::{Batches, Class, Servers};

use super::super::values::{Loads, PolicyList};
use super::{DispatchArgs, scenario};
use crate::failure::Failure;
use crate::memory;

/// Every farm under every demand, whole or split, with every policy.
#[derive(Debug, PartialEq)]
pub struct SweepPlan {
    /// The servers.
    pub farms: Vec<Farm>,
    /// What arrives in front of them.
    pub demands: Vec<Demand>,
    /// Whole batches, split ones, or both.
    pub batches: Vec<Batches>,
    /// The policies.
    pub policies: Vec<Spec>,
    /// How many slots each run has.
    pub slots: u32,
    /// `None` if the user has not said how much to leave out.
    pub warm_up: Option<u32>,
    /// What all randomness comes from.
    pub seed: Seed,
}

impl SweepPlan {
    /// The plan as the experiment that it is.
    pub fn sweep(&self) -> Sweep<'_> {
        Sweep {
            farms: &self.farms,
            demands: &self.demands,
            batches: &self.batches,
            policies: &self.policies,
            slots: self.slots,
            warm_up: self.warm_up,
            seed: self.seed,
        }
    }
}

/// What a scenario file or the arguments in its place say.
pub(super) struct Described {
    pub(super) farms: Vec<DescribedFarm>,
    pub(super) demands: Vec<Demand>,
    pub(super) batches: Vec<Batches>,
    pub(super) policies: Vec<Spec>,
    pub(super) slots: Option<u32>,
    pub(super) warm_up: Option<u32>,
    pub(super) seed: Option<Seed>,
    /// What to name if servers, policies or demands do not fit together.
    pub(super) blamed: Blamed,
}

/// A farm whose servers take no memory yet.
pub(super) struct DescribedFarm {
    pub(super) name: String,
    pub(super) classes: Vec<Class>,
}

/// Where servers, policies and demands come from.
pub(super) struct Blamed {
    pub(super) servers: String,
    pub(super) policies: String,
    pub(super) demands: String,
}

const DEFAULT_SLOTS: u32 = 100_000;

impl DispatchArgs {
    /// What to simulate. Arguments that are typed count more than the scenario.
    pub(crate) fn plan(&self) -> Result<SweepPlan, Failure> {
        let described = match &self.scenario {
            Some(file) => scenario::read(file)?,
            None => self.typed(),
        };
        let slots = self.slots.map(|slots| slots.get() as u32);
        let slots = slots.or(described.slots).unwrap_or(DEFAULT_SLOTS);
        let warm_up = self
            .warmup
            .map(|slots| slots.get() as u32)
            .or(described.warm_up);
        if let Some(warm_up) = warm_up.filter(|&warm_up| warm_up >= slots) {
            return Err(Failure::usage(format!(
                "--slots {slots} leaves nothing to count after --warmup {warm_up}: use more slots, \
                 such as --slots {}",
                2 * u64::from(warm_up.max(1))
            )));
        }
        described.check_memory(slots, self.threads.get())?;
        let farms = described.farms()?;
        Ok(SweepPlan {
            farms,
            demands: described.demands,
            batches: described.batches,
            policies: described.policies,
            slots,
            warm_up,
            seed: self.seed.or(described.seed).unwrap_or_default(),
        })
    }

    fn typed(&self) -> Described {
        let loads = match &self.loads {
            Some(Loads(loads)) => loads.clone(),
            None => vec![self.load],
        };
        let PolicyList(policies) = &self.policy;
        Described {
            farms: vec![DescribedFarm {
                name: self.servers.text.clone(),
                classes: self.servers.classes.clone(),
            }],
            demands: loads.into_iter().map(Demand::Load).collect(),
            batches: vec![if self.split {
                Batches::Split
            } else {
                Batches::Whole
            }],
            policies: policies.clone(),
            slots: None,
            warm_up: None,
            seed: None,
            blamed: Blamed {
                servers: "--servers".to_owned(),
                policies: "--policy".to_owned(),
                demands: if self.loads.is_some() {
                    "--loads"
                } else {
                    "--load"
                }
                .to_owned(),
            },
        }
    }
}

/// Bytes that a run needs for each server, its policy and the timing of jobs included.
const BYTES_PER_SERVER: u64 = 128;
/// Bytes that are kept of a run, and of each point of its trajectory, of which there are at most so
/// many.
const BYTES_PER_RUN: u64 = 40_000;
const BYTES_PER_POINT: u64 = 64;
const MOST_POINTS: u64 = 4096;

impl Described {
    /// Refuses what would not fit into memory.
    fn check_memory(&self, slots: u32, threads: NonZero<usize>) -> Result<(), Failure> {
        let servers = |farm: &DescribedFarm| -> u64 {
            farm.classes.iter().map(|class| class.count as u64).sum()
        };
        let all: u64 = self.farms.iter().map(servers).sum();
        let largest = self.farms.iter().map(servers).max().unwrap_or(0);
        let situations = (self.farms.len() * self.demands.len() * self.batches.len()) as u64;
        let runs = situations * self.policies.len() as u64;
        // As many runs as this are in memory at a time: see `filch_experiments::dispatch`.
        let at_once = runs.min(runs.div_ceil(4 * threads.get() as u64) * threads.get() as u64);
        let points = u64::from(slots).min(MOST_POINTS);
        let need = [
            all.saturating_mul(8),
            largest
                .saturating_mul(BYTES_PER_SERVER)
                .saturating_mul(at_once),
            runs.saturating_mul(BYTES_PER_RUN + points * BYTES_PER_POINT),
        ];
        memory::check(
            need.into_iter().fold(0, u64::saturating_add),
            "use fewer servers, loads or policies at once",
        )
    }

    /// The farms, in front of which every policy can work and every demand can be drawn.
    fn farms(&self) -> Result<Vec<Farm>, Failure> {
        let mut farms = Vec::new();
        for DescribedFarm { name, classes } in &self.farms {
            let Blamed {
                servers,
                policies,
                demands,
            } = &self.blamed;
            let refuse = |blamed: &str, problem: &dyn std::fmt::Display| {
                Failure::usage(format!("{blamed}: {problem}"))
            };
            let farm = Farm {
                name: name.clone(),
                servers: Servers::of(classes.clone()).map_err(|error| refuse(servers, &error))?,
            };
            let queues = vec![0; farm.servers.count()];
            let view = View::of_queues(&queues).with_speeds(farm.servers.speeds());
            for policy in &self.policies {
                policy
                    .start(&view)
                    .map_err(|error| refuse(policies, &error))?;
            }
            for demand in &self.demands {
                let arrivals = demand.arrivals(&farm.servers);
                let arrivals = arrivals.map_err(|problem| refuse(demands, &problem))?;
                arrivals.start().map_err(|error| refuse(demands, &error))?;
            }
            farms.push(farm);
        }
        Ok(farms)
    }
}
