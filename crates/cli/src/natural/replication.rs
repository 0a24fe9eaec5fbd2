//! One run of the natural process, and what is kept of it.

use filch_random::Seed;
use filch_sim::natural::{Generators, Natural};
use filch_stats::{CoarseHistogram, Trajectory};

use crate::args::Process;

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Length {
    /// Steps, the warm-up included.
    pub(crate) steps: u64,
    /// Steps that do not count for the estimates.
    pub(crate) warmup: u64,
    /// A system load at which the run ends.
    pub(crate) cut: u64,
}

/// What is kept of a run. Memory does not depend on its length.
#[derive(Clone, Debug)]
pub(crate) struct Replication {
    /// The system load from the first step on.
    pub(crate) trajectory: Trajectory,
    /// The system load after the warm-up.
    pub(crate) loads: CoarseHistogram,
    /// Sums over the steps after the warm-up.
    load: u128,
    requests: u64,
    steals: u64,
    moved: u128,
    /// How many steps those are.
    counted: u64,
    /// The longest queue of the whole run.
    pub(crate) longest: u64,
    /// The step in which the load went beyond the cut.
    pub(crate) cut: Option<u64>,
}

impl Replication {
    /// Runs the process from empty queues. `tick` is called now and then, [`TICKS`] times in all.
    pub(crate) fn run(
        process: &Process,
        length: Length,
        seed: Seed,
        number: u64,
        tick: impl Fn(),
    ) -> Self {
        let mut chain = start(process, seed, number);
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
            trajectory: Trajectory::new(),
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
    pub(crate) fn mean_load(&self) -> Option<f64> {
        self.mean(self.load as f64)
    }

    pub(crate) fn requests(&self) -> Option<f64> {
        self.mean(self.requests as f64)
    }

    pub(crate) fn steals(&self) -> Option<f64> {
        self.mean(self.steals as f64)
    }

    pub(crate) fn moved(&self) -> Option<f64> {
        self.mean(self.moved as f64)
    }
}

/// How often a run tells that it is going on.
pub(crate) const TICKS: u64 = 64;

/// How many ticks are due after so many of `steps` steps.
fn due(done: u64, steps: u64) -> u64 {
    (u128::from(done) * u128::from(TICKS) / u128::from(steps)) as u64
}

fn start(
    process: &Process,
    seed: Seed,
    number: u64,
) -> Natural<Generators, filch_policy::steal::StealFunction> {
    let generators = Generators::new(process.placement, process.processors, process.lambda)
        .expect("checked with the arguments");
    Natural::new(process.processors, generators, process.steal, seed, number)
}

/// How many steps it takes from `jobs` in the queue of the last processor until the system load is
/// at most `level`; none if that takes more than `most_steps`.
pub(crate) fn recovery(
    process: &Process,
    (jobs, level): (u64, f64),
    most_steps: u64,
    seed: Seed,
    number: u64,
) -> Option<u64> {
    let mut chain = start(process, seed, number);
    chain.put(process.processors - 1, jobs);
    (1..=most_steps).find(|_| chain.step().load as f64 <= level)
}
