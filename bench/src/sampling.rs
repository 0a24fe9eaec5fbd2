//! Samples: how a program is timed, and what the times amount to.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::clock;
use crate::runtimes::{ForkJoinProgram, RuntimeKind};

/// The samples of one runtime.
#[derive(Debug, Serialize)]
pub(crate) struct Samples {
    /// Which runtime.
    pub(crate) runtime: RuntimeKind,
    /// The smallest sample.
    pub(crate) min: f64,
    /// The middle sample.
    pub(crate) median: f64,
    /// All of them, in the order measured.
    pub(crate) samples: Vec<f64>,
}

impl Samples {
    /// The samples of `runtime`, of which there is at least one.
    pub(crate) fn new(runtime: RuntimeKind, samples: Vec<f64>) -> Samples {
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        Samples {
            runtime,
            min: sorted[0],
            median: quantile(&sorted, 0.5),
            samples,
        }
    }
}

/// The smallest element of `sorted` that at least a share `q` of it does not exceed.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// What passes between two samples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gap {
    /// Nothing.
    None,
    /// The caller computes so many iterations of [`clock::spin`] alone.
    Alone(u64),
    /// The caller sleeps.
    Sleep(Duration),
    /// The caller sleeps until the next tick of this period.
    Tick(Duration),
}

/// How one round samples a [`ForkJoinProgram`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling {
    /// Samples in the round.
    pub(crate) samples: u32,
    /// Runs in a sample, which is their mean.
    pub(crate) repeats: u32,
    /// What passes before each sample.
    pub(crate) gap: Gap,
}

impl Sampling {
    /// One sample of `repeats` runs.
    pub(crate) fn mean_of(repeats: u32) -> Sampling {
        Sampling {
            samples: 1,
            repeats,
            gap: Gap::None,
        }
    }

    /// Nanoseconds per run of `run` on `program`, whose results are verified.
    pub(crate) fn sample<P: ForkJoinProgram>(
        &self,
        program: &P,
        mut run: impl FnMut(&P, &mut P::State) -> P::Output,
    ) -> Vec<f64> {
        let begin = Instant::now();
        let sample = |number| {
            match self.gap {
                Gap::None => {}
                Gap::Alone(spins) => _ = black_box(clock::spin(black_box(spins))),
                Gap::Sleep(pause) => std::thread::sleep(pause),
                Gap::Tick(period) => clock::sleep_until(begin + period * number),
            }
            let mut state = program.state();
            let start = Instant::now();
            for _ in 1..self.repeats {
                black_box(run(black_box(program), black_box(&mut state)));
            }
            let output = black_box(run(black_box(program), black_box(&mut state)));
            let elapsed = start.elapsed();
            program.verify(&state, output);
            elapsed.as_nanos() as f64 / f64::from(self.repeats)
        };
        (0..self.samples).map(sample).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::quantile;

    #[test]
    fn quantiles_are_elements() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&sorted, 0.0), 1.0);
        assert_eq!(quantile(&sorted, 0.5), 2.0);
        assert_eq!(quantile(&sorted, 0.99), 4.0);
        assert_eq!(quantile(&[7.0], 0.5), 7.0);
    }
}
