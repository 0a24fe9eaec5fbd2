//! Plain runs: programs × processors × rules.

use filch_sim::machine::{Machine, MachineOutcome, Rule, Scheduler, Stacks};
use filch_theory::machine::{Hypotheses, lower};
use filch_workload::dag::{Computation, Family};

use super::RULES;
use super::programs::SimulatedProgram;
use crate::chapters::{Scale, Setting};
use crate::dag::hypotheses;

/// What is run.
pub(super) struct RuleGridPlan {
    pub(super) processors: Vec<usize>,
    /// How often on the fewest processors; on more it is once.
    runs: usize,
}

impl RuleGridPlan {
    pub(super) fn of(scale: Scale) -> Self {
        Self {
            processors: scale
                .pick(&[4, 16][..], &[4, 16, 64, 256], &[4, 16, 64, 256, 1024])
                .to_vec(),
            runs: scale.pick(1, 3, 10),
        }
    }

    fn runs(&self, processors: usize) -> usize {
        if processors <= 64 { self.runs } else { 1 }
    }

    /// How many runs [`Grid::run`] makes.
    pub(super) fn all_runs(&self) -> usize {
        let runs = self.processors.iter().map(|&p| self.runs(p));
        SimulatedProgram::ALL.len() * RULES.len() * runs.sum::<usize>()
    }
}

/// All runs.
pub(super) struct RuleGrid {
    pub(super) cells: Vec<RuleRuns>,
}

/// The runs of one program on so many processors under one rule.
pub(super) struct RuleRuns {
    pub(super) program: SimulatedProgram,
    pub(super) family: Family,
    pub(super) rule: Rule,
    pub(super) given: Hypotheses,
    outcomes: Vec<MachineOutcome>,
}

impl RuleGrid {
    pub(super) fn run(setting: &Setting<'_>, plan: &RuleGridPlan) -> Self {
        let points: Vec<(SimulatedProgram, usize)> = SimulatedProgram::ALL
            .into_iter()
            .flat_map(|program| plan.processors.iter().map(move |&p| (program, p)))
            .collect();
        let ready: Vec<Computation> = points
            .iter()
            .map(|&(program, processors)| program.family(processors).computation())
            .collect();
        let mut keys = Vec::new();
        for (at, &(_, processors)) in points.iter().enumerate() {
            for rule in RULES {
                keys.extend((0..plan.runs(processors) as u64).map(|run| (at, rule, run)));
            }
        }
        let mut outcomes = setting
            .runs(keys.len(), |key| {
                let (at, rule, run) = keys[key as usize];
                let machine = Machine::new(Scheduler::ForkJoin(rule), points[at].1);
                machine.run(&ready[at], setting.seed, run)
            })
            .into_iter();
        let mut cells = Vec::new();
        for &(program, processors) in &points {
            let family = program.family(processors);
            let given = hypotheses(&family.measures(), processors);
            for rule in RULES {
                cells.push(RuleRuns {
                    program,
                    family,
                    rule,
                    given,
                    outcomes: outcomes.by_ref().take(plan.runs(processors)).collect(),
                });
            }
        }
        Self { cells }
    }

    /// The runs under one rule.
    pub(super) fn of(&self, rule: Rule) -> impl Iterator<Item = &RuleRuns> {
        self.cells.iter().filter(move |cell| cell.rule == rule)
    }

    /// The runs of the same program on as many processors under another rule.
    pub(super) fn beside(&self, cell: &RuleRuns, rule: Rule) -> &RuleRuns {
        self.of(rule)
            .find(|other| other.family == cell.family && other.given == cell.given)
            .expect("all rules are run")
    }
}

impl RuleRuns {
    /// The mean time over max(T1/P, Tinf), which no schedule beats.
    pub(super) fn over_ideal(&self) -> f64 {
        self.time() / lower::time(&self.given)
    }

    /// The mean time.
    pub(super) fn time(&self) -> f64 {
        let total: f64 = self.outcomes.iter().map(|run| run.time as f64).sum();
        total / self.outcomes.len() as f64
    }

    /// The longest time.
    pub(super) fn longest(&self) -> f64 {
        self.most(|run| run.time) as f64
    }

    /// The most live frames of all runs.
    pub(super) fn live(&self) -> u64 {
        self.most(|run| run.peak_space)
    }

    /// The live frames as a part of S1·P.
    pub(super) fn live_part(&self) -> f64 {
        let bound = self.given.stack_depth as f64 * self.given.processors as f64;
        self.live() as f64 / bound
    }

    /// The deepest stack of all runs as a part of S1.
    pub(super) fn depth_part(&self) -> f64 {
        self.stacks(|stacks| stacks.deepest) as f64 / self.given.stack_depth as f64
    }

    /// The most of a total about stacks, of all runs.
    pub(super) fn stacks(&self, value: impl Fn(&Stacks) -> u64) -> u64 {
        self.most(|run| value(&run.stacks.expect("a fork-join machine")))
    }

    fn most(&self, value: impl Fn(&MachineOutcome) -> u64) -> u64 {
        self.outcomes.iter().map(value).max().unwrap_or(0)
    }
}
