//! The runs behind Figures 1 and 2.

use filch_policy::dispatch::Spec;
use filch_sim::farm::{Batches, Class, Length, Run, Servers};
use filch_workload::{Arrivals, Load};

use crate::chapters::{Scale, Setting};
use crate::dispatch::{Estimates, Simulation, portion, portions};

/// The five policies of the paper.
pub(super) const POLICIES: [&str; 5] = ["pi", "jiq", "jsq", "jsq:2", "jsq:1:1"];

/// Numbers of slow and fast servers.
pub(super) const MIXES: [(usize, usize); 3] = [(10, 90), (50, 50), (90, 10)];

/// The loads at which completion times are recorded.
pub(super) const TIMED: [f64; 2] = [0.5, 0.99];

/// The runs that share the capacities of their servers: two loads, whole and split batches, all
/// policies.
const PORTION: usize = 2 * 2 * POLICIES.len();

#[derive(Clone)]
pub(super) struct FigurePlan {
    pub(super) slots: u32,
    pub(super) loads: Vec<f64>,
}

impl FigurePlan {
    pub(super) fn of(scale: Scale) -> Self {
        let mut loads: Vec<f64> = (1..20)
            .map(|twentieth| f64::from(twentieth) / 20.0)
            .collect();
        loads.push(0.99);
        if scale == Scale::Sketch {
            loads = vec![0.5, 0.9, 0.99];
        }
        Self {
            slots: scale.pick(1_500, 200_000, 1_000_000),
            loads,
        }
    }

    pub(super) fn portions(&self) -> usize {
        MIXES.len() * self.loads.len().div_ceil(2)
    }
}

/// What is kept of a run.
pub(super) struct FigureRun {
    pub(super) estimates: Estimates,
    pub(super) messages: u64,
    pub(super) sub_batches: u64,
    pub(super) jobs: u64,
}

/// A place in the figures.
#[derive(Clone, Copy)]
pub(super) struct At {
    /// Index into [`MIXES`].
    pub(super) mix: usize,
    /// Index into the loads.
    pub(super) load: usize,
    pub(super) batches: Batches,
}

pub(super) struct FigureGrid {
    pub(super) plan: FigurePlan,
    /// Mix by mix, load by load, whole then split, policy by policy.
    runs: Vec<FigureRun>,
}

/// Slow servers of mean capacity 1, and fast ones of mean capacity `ratio`.
pub(in crate::chapters) fn farm(slow: usize, fast: usize, ratio: f64) -> Servers {
    let capacity = |mean: f64| filch_workload::Capacity::uniform(mean).expect("a mean from 1 on");
    Servers::of(vec![
        Class::new("slow", slow, capacity(1.0)),
        Class::new("fast", fast, capacity(ratio)),
    ])
    .expect("there are servers")
}

/// Poisson batches that offer these servers this load.
pub(in crate::chapters) fn arrivals(servers: &Servers, load: f64) -> Arrivals {
    let load = Load::with_overload(load).expect("a load above 0");
    Arrivals::poisson(load.rate(servers.total_capacity())).expect("a rate in bounds")
}

impl FigureGrid {
    pub(super) fn simulate(setting: &Setting<'_>, plan: FigurePlan) -> Self {
        let farms = MIXES.map(|(slow, fast)| farm(slow, fast, 10.0));
        let mut simulations = Vec::new();
        for servers in &farms {
            for &load in &plan.loads {
                for batches in Batches::ALL {
                    simulations.extend(POLICIES.map(|policy| {
                        let arrivals = arrivals(servers, load);
                        let run = Run::of(named(policy), batches, arrivals);
                        Simulation {
                            servers,
                            run: Run {
                                completions: TIMED.contains(&load),
                                ..run
                            },
                        }
                    }));
                }
            }
        }
        let portions = portions(&simulations, PORTION);
        let length = Length::of(plan.slots);
        let runs = setting.runs(portions.len(), |at| {
            let simulations = &simulations[portions[at as usize].clone()];
            let outcomes =
                portion(simulations, length, setting.seed, |_| ()).expect("good policies");
            let runs = outcomes.into_iter().map(|outcome| FigureRun {
                estimates: Estimates::of(&outcome, None),
                messages: outcome.messages,
                sub_batches: outcome.sub_batches,
                jobs: outcome.jobs,
            });
            runs.collect::<Vec<_>>()
        });
        Self {
            plan,
            runs: runs.into_iter().flatten().collect(),
        }
    }

    pub(super) fn run(&self, at: At, policy: &str) -> &FigureRun {
        let policy = POLICIES
            .iter()
            .position(|known| *known == policy)
            .expect("one of five");
        let split = usize::from(at.batches == Batches::Split);
        let situation = (at.mix * self.plan.loads.len() + at.load) * 2 + split;
        &self.runs[situation * POLICIES.len() + policy]
    }

    /// All mixes, and all loads within these bounds, for whole or split batches.
    pub(super) fn places(
        &self,
        batches: Batches,
        loads: std::ops::RangeInclusive<f64>,
    ) -> impl Iterator<Item = At> + '_ {
        (0..MIXES.len()).flat_map(move |mix| {
            let loads = loads.clone();
            let places = (0..self.plan.loads.len()).map(move |load| At { mix, load, batches });
            places.filter(move |at| loads.contains(&self.load(*at)))
        })
    }

    /// The place with this mix and this load of the plan.
    pub(super) fn at(&self, mix: usize, load: f64, batches: Batches) -> At {
        let load = self
            .plan
            .loads
            .iter()
            .position(|known| *known == load)
            .expect("a load of the plan");
        At { mix, load, batches }
    }

    pub(super) fn load(&self, at: At) -> f64 {
        self.plan.loads[at.load]
    }

    /// `50:50 at 99 %`.
    pub(super) fn named(&self, at: At) -> String {
        format!("{} at {:.0} %", mix(at.mix), 100.0 * self.load(at))
    }
}

pub(super) fn mix(at: usize) -> String {
    let (slow, fast) = MIXES[at];
    format!("{slow}:{fast}")
}

pub(in crate::chapters) fn named(policy: &str) -> Spec {
    policy.parse().expect("a policy that there is")
}
