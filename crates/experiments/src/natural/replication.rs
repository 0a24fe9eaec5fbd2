//! One run of the process.

use filch_policy::steal::Steal;
use filch_random::Seed;
use filch_sim::natural::{Generators, Natural};
use filch_stats::{BinnedTrajectory, CoarseHistogram};

use super::Process;

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLength {
    /// Steps, the warm-up included.
    pub steps: u64,
    /// Steps at the start that do not count for the estimates.
    pub warmup: u64,
    /// The system load beyond which the run ends.
    pub cut: u64,
}

impl RunLength {
    /// So many steps, of which the first half is warm-up; a run ends beyond 2⁵⁰ jobs.
    pub fn of(steps: u64) -> Self {
        Self {
            steps,
            warmup: steps / 2,
            cut: 1 << 50,
        }
    }
}

/// The record of a run. Its size does not depend on the length of the run.
#[derive(Clone, Debug)]
pub struct Replication {
    /// The system load from the first step on.
    pub trajectory: BinnedTrajectory,
    /// The system load after the warm-up.
    pub loads: CoarseHistogram,
    /// Sums over the steps after the warm-up.
    load: u128,
    requests: u64,
    steals: u64,
    moved: u128,
    /// The number of steps after the warm-up.
    counted: u64,
    /// The longest queue of the whole run.
    pub longest: u64,
    /// The step in which the load exceeded the cut, if it did.
    pub cut: Option<u64>,
}

impl Replication {
    /// Runs the process from empty queues. `tick` is called 64 times during the run.
    ///
    /// # Panics
    ///
    /// If the placement of the process does not fit its number of processors.
    pub fn run(
        process: &Process,
        length: RunLength,
        seed: Seed,
        number: u64,
        tick: impl Fn(),
    ) -> Self {
        let chain = start(process, process.steal, seed, number);
        Self::of(chain, length, tick, || ())
    }

    /// Runs a chain from the state in which it is. `look` is called every few steps.
    pub(super) fn of<F: Steal>(
        mut chain: Natural<Generators, F>,
        length: RunLength,
        tick: impl Fn(),
        look: impl Fn(),
    ) -> Self {
        let mut kept = Self::nothing();
        let mut ticks = 0;
        for number in 1..=length.steps {
            let step = chain.step();
            kept.trajectory.push(step.load as f64);
            kept.longest = kept.longest.max(step.longest);
            if number > length.warmup {
                kept.loads.record(step.load);
                kept.load += u128::from(step.load);
                kept.requests += step.requests;
                kept.steals += step.steals;
                kept.moved += u128::from(step.moved);
                kept.counted += 1;
            }
            if step.load > length.cut {
                kept.cut = Some(number);
                break;
            }
            if number % LOOK_EVERY == 0 {
                look();
            }
            while ticks < due(number, length.steps) {
                tick();
                ticks += 1;
            }
        }
        (ticks..TICKS).for_each(|_| tick());
        kept
    }

    fn nothing() -> Self {
        Self {
            trajectory: BinnedTrajectory::new(),
            loads: CoarseHistogram::new(),
            load: 0,
            requests: 0,
            steals: 0,
            moved: 0,
            counted: 0,
            longest: 0,
            cut: None,
        }
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.counted > 0).then(|| sum / self.counted as f64)
    }

    /// The mean system load; none if the run was cut during its warm-up.
    pub fn mean_load(&self) -> Option<f64> {
        self.mean(self.load as f64)
    }

    /// The mean number of requests in a step.
    pub fn requests(&self) -> Option<f64> {
        self.mean(self.requests as f64)
    }

    /// The mean number of requests in a step that moved a job or more.
    pub fn steals(&self) -> Option<f64> {
        self.mean(self.steals as f64)
    }

    /// The mean number of jobs that moved in a step.
    pub fn moved(&self) -> Option<f64> {
        self.mean(self.moved as f64)
    }
}

/// How many steps lie between two looks at whether the run is still wanted.
const LOOK_EVERY: u64 = 64;

/// How often a run reports its progress.
pub(super) const TICKS: u64 = 64;

/// How many ticks are due after so many of `steps` steps.
fn due(done: u64, steps: u64) -> u64 {
    (u128::from(done) * u128::from(TICKS) / u128::from(steps)) as u64
}

/// The process with empty queues.
pub(super) fn start<F: Steal>(
    process: &Process,
    steal: F,
    seed: Seed,
    number: u64,
) -> Natural<Generators, F> {
    let generators = Generators::new(process.placement, process.processors, process.lambda)
        .expect("a placement that fits the processors");
    Natural::new(process.processors, generators, steal, seed, number)
}
