//! Runs of contenders under one placement.

use filch_random::Seed;
use filch_sim::natural::rivals::Balanced;
use filch_sim::natural::{Generators, Natural, Queues, StepCounts};
use filch_stats::{Confidence, Estimate, replications};
use filch_workload::{Placement, Probability};

use super::Contender;
use crate::natural::RunLength;
use crate::{Progress, parallel};

/// What contenders are measured on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RivalStudy {
    /// n: processors, and as many generators.
    pub processors: usize,
    /// λ.
    pub lambda: Probability,
    /// Where the generators sit.
    pub placement: Placement,
    /// How long each run is.
    pub length: RunLength,
    /// Independent runs.
    pub replications: usize,
    /// What all randomness comes from.
    pub seed: Seed,
}

/// What the runs of one contender show, after the warm-up.
#[derive(Clone, Debug, PartialEq)]
pub struct RivalEstimates {
    /// The mean load of a processor.
    pub load: f64,
    /// Its 95 % interval, from the means of the independent runs.
    pub interval: Option<Estimate>,
    /// The longest queue of all runs.
    pub longest: u64,
    /// Requests of a processor in a step.
    pub requests: f64,
    /// Jobs that move, for each job that is made.
    pub moved: f64,
    /// The largest and the smallest of the processors' mean loads.
    pub extremes: [f64; 2],
    /// Runs that ended because the load exceeded the cut.
    pub cut: usize,
}

/// The sums of one run after its warm-up.
struct RivalRun {
    loads: Vec<u64>,
    steps: u64,
    longest: u64,
    requests: u64,
    generated: u64,
    moved: u64,
    cut: bool,
}

impl RivalStudy {
    /// Makes the runs of `contender`.
    ///
    /// # Errors
    ///
    /// If its parameters do not fit the number of processors.
    ///
    /// # Panics
    ///
    /// If the placement does not fit the number of processors.
    pub fn run(
        &self,
        contender: &Contender,
        progress: &dyn Progress,
    ) -> Result<RivalEstimates, String> {
        if let Contender::Rival(name) = contender {
            name.start(self.processors)?;
        }
        progress.expect(self.replications);
        let runs = parallel::map(self.replications, parallel::threads(), |number| {
            let run = self.single(contender, number as u64);
            progress.done();
            run
        });
        Ok(self.conclude(&runs))
    }

    /// The same on the thread of the caller, without progress.
    ///
    /// # Panics
    ///
    /// If the placement or the parameters do not fit the number of processors.
    pub(crate) fn run_here(&self, contender: &Contender) -> RivalEstimates {
        let numbers = 0..self.replications as u64;
        let runs: Vec<RivalRun> = numbers
            .map(|number| self.single(contender, number))
            .collect();
        self.conclude(&runs)
    }

    /// One run, whose sums are those of [`RivalStudy::conclude`].
    fn single(&self, contender: &Contender, number: u64) -> RivalRun {
        let n = self.processors;
        let generators = Generators::new(self.placement, n, self.lambda)
            .expect("a placement that fits the processors");
        match contender {
            Contender::Natural(steal) => {
                let mut chain = Natural::new(n, generators, *steal, self.seed, number);
                self.follow(&mut chain, Natural::step, Natural::queues)
            }
            Contender::Rival(name) => {
                let rival = name.start(n).expect("it started before");
                let mut process = Balanced::new(n, generators, rival, self.seed, number);
                self.follow(&mut process, Balanced::step, Balanced::queues)
            }
        }
    }

    fn follow<P>(
        &self,
        process: &mut P,
        step: impl Fn(&mut P) -> StepCounts,
        queues: impl Fn(&P) -> &Queues,
    ) -> RivalRun {
        let mut run = RivalRun {
            loads: vec![0; self.processors],
            steps: 0,
            longest: 0,
            requests: 0,
            generated: 0,
            moved: 0,
            cut: false,
        };
        for number in 1..=self.length.steps {
            let counts = step(process);
            run.longest = run.longest.max(counts.longest);
            if number > self.length.warmup {
                run.steps += 1;
                run.requests += counts.requests;
                run.generated += counts.generated;
                run.moved += counts.moved;
                let sums = run.loads.iter_mut().zip(queues(process).lengths());
                sums.for_each(|(sum, load)| *sum += load);
            }
            if counts.load > self.length.cut {
                run.cut = true;
                break;
            }
        }
        run
    }

    fn conclude(&self, runs: &[RivalRun]) -> RivalEstimates {
        let counted: Vec<&RivalRun> = runs.iter().filter(|run| run.steps > 0).collect();
        let per =
            |run: &RivalRun, sum: u64| sum as f64 / (run.steps as f64 * self.processors as f64);
        let loads: Vec<f64> = counted
            .iter()
            .map(|run| per(run, run.loads.iter().sum()))
            .collect();
        let over = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let steps: u64 = counted.iter().map(|run| run.steps).sum();
        let mean_of = |processor: usize| {
            let sum: u64 = counted.iter().map(|run| run.loads[processor]).sum();
            sum as f64 / steps.max(1) as f64
        };
        let means: Vec<f64> = (0..self.processors).map(mean_of).collect();
        let generated: u64 = counted.iter().map(|run| run.generated).sum();
        let moved: u64 = counted.iter().map(|run| run.moved).sum();
        RivalEstimates {
            interval: replications(&loads, Confidence::NINETY_FIVE).ok(),
            load: over(loads),
            longest: runs.iter().map(|run| run.longest).max().unwrap_or(0),
            requests: over(counted.iter().map(|run| per(run, run.requests)).collect()),
            moved: moved as f64 / generated.max(1) as f64,
            extremes: [
                means.iter().copied().fold(0.0, f64::max),
                means.iter().copied().fold(f64::INFINITY, f64::min),
            ],
            cut: runs.iter().filter(|run| run.cut).count(),
        }
    }
}
