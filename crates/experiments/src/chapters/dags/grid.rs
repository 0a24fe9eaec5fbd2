//! The grid of runs: computations × processors × schedulers.

use filch_sim::machine::{Machine, MachineOutcome, Scheduler};
use filch_stats::{Confidence, replications};
use filch_theory::machine::Hypotheses;
use filch_workload::dag::{Family, Measures};

use crate::chapters::{Scale, Setting};
use crate::dag::hypotheses;
use crate::values::Point;

/// What to run.
pub(super) struct DagGridPlan {
    pub(super) families: Vec<Family>,
    pub(super) processors: Vec<usize>,
    /// Runs for each point of a randomised scheduler.
    pub(super) runs: usize,
}

impl DagGridPlan {
    pub(super) fn of(scale: Scale) -> Self {
        let families = scale.pick(
            [
                "fib:12",
                "tree:7:4",
                "loop:100:10",
                "comb:60",
                "random:100:1",
            ],
            [
                "fib:24",
                "tree:14:10",
                "loop:3000:100",
                "comb:1000",
                "random:5000:1",
            ],
            [
                "fib:30",
                "tree:18:20",
                "loop:30000:100",
                "comb:10000",
                "random:100000:1",
            ],
        );
        let most = scale.pick(6, 10, 10);
        let apart = scale.pick(3, 1, 1);
        let powers = (0..=most).step_by(apart);
        Self {
            families: families.map(|name| name.parse().expect("a family")).into(),
            processors: powers.map(|power| 1 << power).collect(),
            runs: scale.pick(3, 10, 12),
        }
    }

    /// The number of runs in the whole grid.
    pub(super) fn total(&self) -> usize {
        let points = self.families.len() * self.processors.len();
        points * (2 + 3 * self.runs)
    }

    fn runs(&self, scheduler: Scheduler) -> usize {
        if scheduler.is_random() { self.runs } else { 1 }
    }
}

/// All runs.
pub(super) struct DagGrid {
    pub(super) computations: Vec<Subject>,
    pub(super) processors: Vec<usize>,
    pub(super) sets: Vec<RunSet>,
}

pub(super) struct Subject {
    pub(super) family: Family,
    pub(super) measures: Measures,
}

/// The runs of one scheduler on one computation and one number of processors.
pub(super) struct RunSet {
    /// The index of the computation.
    pub(super) computation: usize,
    pub(super) scheduler: Scheduler,
    pub(super) given: Hypotheses,
    pub(super) outcomes: Vec<MachineOutcome>,
}

impl DagGrid {
    pub(super) fn run(setting: &Setting<'_>, plan: &DagGridPlan) -> Self {
        let computations: Vec<Subject> = plan
            .families
            .iter()
            .map(|&family| Subject {
                family,
                measures: family.measures(),
            })
            .collect();
        let mut keys = Vec::new();
        for computation in 0..computations.len() {
            for &processors in &plan.processors {
                for scheduler in Scheduler::ALL {
                    let runs = 0..plan.runs(scheduler) as u64;
                    keys.extend(runs.map(|run| (computation, processors, scheduler, run)));
                }
            }
        }
        let ready: Vec<_> = plan.families.iter().map(Family::computation).collect();
        let outcomes = setting.runs(keys.len(), |at| {
            let (computation, processors, scheduler, run) = keys[at as usize];
            Machine::new(scheduler, processors).run(&ready[computation], setting.seed, run)
        });
        let mut sets: Vec<RunSet> = Vec::new();
        for ((computation, processors, scheduler, run), outcome) in keys.into_iter().zip(outcomes) {
            if run == 0 {
                sets.push(RunSet {
                    computation,
                    scheduler,
                    given: hypotheses(&computations[computation].measures, processors),
                    outcomes: Vec::new(),
                });
            }
            sets.last_mut()
                .expect("pushed above")
                .outcomes
                .push(outcome);
        }
        Self {
            computations,
            processors: plan.processors.clone(),
            sets,
        }
    }

    /// The runs of one scheduler.
    pub(super) fn of(&self, scheduler: Scheduler) -> impl Iterator<Item = &RunSet> {
        self.sets
            .iter()
            .filter(move |set| set.scheduler == scheduler)
    }

    /// The runs of one scheduler on one computation, in order of processors.
    pub(super) fn row(
        &self,
        computation: usize,
        scheduler: Scheduler,
    ) -> impl Iterator<Item = &RunSet> {
        self.of(scheduler)
            .filter(move |set| set.computation == computation)
    }

    /// A description of the runs, for claims.
    pub(super) fn described(&self, schedulers: &str, runs: usize) -> String {
        let names: Vec<_> = self
            .computations
            .iter()
            .map(|of| of.family.to_string())
            .collect();
        let processors: Vec<_> = self.processors.iter().map(ToString::to_string).collect();
        let times = if runs == 1 {
            "once"
        } else {
            &*format!("{runs} times")
        };
        format!(
            "{schedulers} on {}, P = {}, {times} each",
            names.join(", "),
            processors.join(", ")
        )
    }
}

impl RunSet {
    pub(super) fn mean(&self, value: impl Fn(&MachineOutcome) -> f64) -> f64 {
        self.outcomes.iter().map(value).sum::<f64>() / self.outcomes.len() as f64
    }

    pub(super) fn max(&self, value: impl Fn(&MachineOutcome) -> f64) -> f64 {
        self.outcomes
            .iter()
            .map(value)
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// A point of a plot over processors: the mean of `value`, and its 95 % interval.
    pub(super) fn point(&self, value: impl Fn(&MachineOutcome) -> f64) -> Point {
        let values: Vec<f64> = self.outcomes.iter().map(value).collect();
        let estimate = replications(&values, Confidence::NINETY_FIVE).ok();
        Point {
            x: self.given.processors as f64,
            y: values.iter().sum::<f64>() / values.len() as f64,
            interval: estimate.map(|estimate| {
                let interval = estimate.interval();
                [interval.lo, interval.hi]
            }),
        }
    }
}
