//! A computation on a kernel that takes processors away.

use filch_random::{Purpose, Seed};
use filch_sim::machine::multiprogrammed::{
    Adversity, Kernel, KernelName, Multiprogrammed, MultiprogrammedOutcome, Yield,
};
use filch_theory::machine::multiprogrammed;
use filch_workload::dag::{Computation, Measures, Unfold, Visit};
use serde::Serialize;

use super::hypotheses::hypotheses;
use crate::{Progress, parallel};

const ASKING: Purpose = Purpose::named("victims");
const SCHEDULING: Purpose = Purpose::named("kernel");

/// What to run, and on which kernel.
#[derive(Clone, Debug)]
pub struct KernelStudy<'a> {
    /// The computation; no instruction has more than two edges out.
    pub computation: &'a Computation,
    /// Its measures.
    pub measures: &'a Measures,
    /// The processes, their yields and the most steps.
    pub machine: Multiprogrammed,
    /// Which processes run.
    pub kernel: KernelName,
    /// How often.
    pub runs: usize,
    /// What all randomness comes from.
    pub seed: Seed,
}

/// The totals of all runs that ended. Numbers are means unless they say otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelSummary {
    /// P.
    pub processes: usize,
    /// Which processes run.
    pub kernel: String,
    /// How much the kernel may know.
    pub adversary: String,
    /// What thieves ask of the kernel.
    pub yields: &'static str,
    /// The yield with which the bound is promised under this kernel.
    pub needs: &'static str,
    /// Whether the runs are within the hypotheses of the bound.
    pub applies: bool,
    /// How many runs there were.
    pub runs: usize,
    /// How many were given up.
    pub given_up: usize,
    /// What all randomness came from.
    pub seed: u64,
    /// Steps.
    pub time: Option<f64>,
    /// P_A.
    pub average: Option<f64>,
    /// Steal attempts.
    pub attempts: Option<f64>,
    /// T1/P_A, below which no run is.
    pub lower: Option<f64>,
    /// The largest of the least c with time ≤ T1/P_A + c·Tinf·P/P_A, run by run.
    pub least_constant: Option<f64>,
    /// Instructions that the runs that were given up had executed, at most.
    pub work_given_up: Option<u64>,
}

/// The yield that a kernel of this strength needs.
pub(crate) fn needed(adversity: Adversity) -> Yield {
    match adversity {
        Adversity::Benign => Yield::None,
        Adversity::Oblivious => Yield::Random,
        Adversity::Adaptive => Yield::All,
    }
}

impl KernelStudy<'_> {
    /// The yield that the kernel needs.
    pub fn needed(kernel: &KernelName) -> Yield {
        needed(kernel.start().adversity())
    }

    /// One run.
    pub fn outcome(&self, run: u64) -> MultiprogrammedOutcome {
        self.computation.visit(KernelRun { study: self, run })
    }

    /// Makes the runs and sums them up.
    pub fn run(&self, progress: &dyn Progress) -> KernelSummary {
        progress.expect(self.runs);
        let outcomes = parallel::map(self.runs, parallel::threads(), |run| {
            let outcome = self.outcome(run as u64);
            progress.done();
            outcome
        });
        self.summary(&outcomes)
    }

    /// The totals of these outcomes.
    pub fn summary(&self, outcomes: &[MultiprogrammedOutcome]) -> KernelSummary {
        let Multiprogrammed {
            processes, yields, ..
        } = self.machine;
        let adversity = self.kernel.start().adversity();
        let (done, given_up): (Vec<MultiprogrammedOutcome>, Vec<_>) =
            outcomes.iter().copied().partition(|outcome| outcome.done);
        let mean = |of: &dyn Fn(&MultiprogrammedOutcome) -> f64| {
            let sum: f64 = done.iter().map(of).sum();
            (!done.is_empty()).then(|| sum / done.len() as f64)
        };
        let given = hypotheses(self.measures, processes);
        let constant = |outcome: &MultiprogrammedOutcome| {
            multiprogrammed::least_constant(&given, outcome.average(), outcome.time as f64)
        };
        let needs = needed(adversity);
        // A yield to all is one to a random process too.
        let strength = |yields| Yield::ALL.iter().position(|&known| known == yields);
        KernelSummary {
            processes,
            kernel: self.kernel.to_string(),
            adversary: adversity.to_string(),
            yields: yields.name(),
            needs: needs.name(),
            applies: strength(yields) >= strength(needs),
            runs: outcomes.len(),
            given_up: given_up.len(),
            seed: self.seed.get(),
            time: mean(&|outcome| outcome.time as f64),
            average: mean(&MultiprogrammedOutcome::average),
            attempts: mean(&|outcome| outcome.attempts as f64),
            lower: mean(&|outcome| multiprogrammed::lower(&given, outcome.average())),
            least_constant: done.iter().map(constant).reduce(f64::max),
            work_given_up: given_up.iter().map(|outcome| outcome.work).max(),
        }
    }
}

struct KernelRun<'a, 'b> {
    study: &'a KernelStudy<'b>,
    run: u64,
}

impl Visit for KernelRun<'_, '_> {
    type Value = MultiprogrammedOutcome;

    fn visit<U: Unfold>(self, computation: U) -> MultiprogrammedOutcome {
        let stream = |purpose| self.study.seed.stream(purpose, self.run, 0);
        let (mut asking, mut scheduling) = (stream(ASKING), stream(SCHEDULING));
        let mut kernel = self.study.kernel.start();
        let machine = &self.study.machine;
        machine.run(computation, &mut kernel, &mut asking, &mut scheduling)
    }
}
