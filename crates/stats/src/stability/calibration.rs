//! The thresholds, checked on the processes of their calibration.

use super::blocks::{BLOCKS, Blocks};
use super::growth::{self, Growth};
use super::settling::{self, Settling};
use super::{ERROR_STABLE, ERROR_UNSTABLE};
use crate::processes::{BROWNIAN, TESTS, implausible, normal};

/// Samples to a block: the fewest that are admitted.
const LENGTH: usize = 8;

/// The sum of `motions` independent Brownian motions reflected at 0, from `start`: |B| sampled on a
/// grid, which is exact there. A random walk reflected at 0 looks like this from afar.
fn reflected(run: u64, motions: usize, start: f64) -> Vec<f64> {
    let mut load = vec![0.0; BLOCKS * LENGTH];
    for motion in 0..motions {
        let mut stream = TESTS.stream(BROWNIAN, run, 100 + motion as u64);
        let mut x = start;
        for sample in &mut load {
            x += normal(&mut stream);
            *sample += x.abs();
        }
    }
    load
}

/// The same with motions driven by noises that add up to 0, each reflected at 0: the queues behind
/// one dispatcher, where a job that goes to one queue does not go to the others.
fn opposed(run: u64, motions: usize) -> Vec<f64> {
    let mut stream = TESTS.stream(BROWNIAN, run, 60);
    let mut x = vec![0.0; motions];
    let sample = |_| {
        let noise: Vec<f64> = (0..motions).map(|_| normal(&mut stream)).collect();
        let common = noise.iter().sum::<f64>() / motions as f64;
        for (x, noise) in x.iter_mut().zip(noise) {
            *x = f64::max(*x + noise - common, 0.0);
        }
        x.iter().sum()
    };
    (0..BLOCKS * LENGTH).map(sample).collect()
}

/// How many of `runs` paths the growth test and the settling test would judge, each alone and at
/// its threshold.
fn judged(runs: u64, path: impl Fn(u64) -> Vec<f64>) -> (u64, u64) {
    let (mut growing, mut settled) = (0, 0);
    for run in 0..runs {
        let blocks = Blocks::cut(&path(run)).unwrap();
        let growth = Growth::measure(&blocks);
        growing += u64::from(growth.t.min(growth.bend) > growth::THRESHOLD);
        settled += u64::from(Settling::measure(&blocks).eta > settling::THRESHOLD);
    }
    (growing, settled)
}

/// 200 000 paths of a single motion. The count beyond a true 1 % has standard deviation 44, a
/// relative 2.2 %; it deviates by more than four of them with probability 6·10⁻⁵. The threshold of
/// η must not be too strict either: fewer than 0.8 % would waste power.
#[test]
fn one_motion() {
    let runs = 200_000;
    let (growing, settled) = judged(runs, |run| reflected(run, 1, 0.0));
    assert!(growing < implausible(ERROR_UNSTABLE, runs), "{growing}");
    assert!(settled < implausible(ERROR_STABLE, runs), "{settled}");
    assert!(settled > runs * 8 / 1000, "{settled}");
}

/// A farm of separate queues, at its limit, is a sum. The bound has error rate 1e-4 at each number.
#[test]
fn several_motions() {
    for (runs, motions) in [
        (50_000, 2),
        (100_000, 4),
        (30_000, 8),
        (10_000, 16),
        (4_000, 64),
    ] {
        let (growing, settled) = judged(runs, |run| reflected(run, motions, 0.0));
        assert!(
            growing < implausible(ERROR_UNSTABLE, runs),
            "{motions}: {growing}"
        );
        assert!(
            settled < implausible(ERROR_STABLE, runs),
            "{motions}: {settled}"
        );
    }
}

/// Queues that share one stream of batches, as under PI's dispatcher, are negatively correlated.
/// The growth test errs most often here, near four queues; fewer than 0.6 % there would waste
/// power.
#[test]
fn opposed_motions() {
    for (runs, motions) in [
        (50_000, 2),
        (100_000, 4),
        (30_000, 8),
        (10_000, 16),
        (4_000, 64),
    ] {
        let (growing, settled) = judged(runs, |run| opposed(run, motions));
        assert!(
            growing < implausible(ERROR_UNSTABLE, runs),
            "{motions}: {growing}"
        );
        assert!(
            settled < implausible(ERROR_STABLE, runs),
            "{motions}: {settled}"
        );
        assert!(motions != 4 || growing > runs * 6 / 1000, "{growing}");
    }
}

/// From above 0 both err more rarely, out to a walk that never meets the border (16 is the
/// deviation at the end of the run).
#[test]
fn higher_starts() {
    for start in [4.0, 16.0, 200.0] {
        let (growing, settled) = judged(40_000, |run| reflected(run, 1, start));
        assert!(
            growing < implausible(ERROR_UNSTABLE, 40_000),
            "{start}: {growing}"
        );
        assert!(
            settled < implausible(ERROR_STABLE, 40_000),
            "{start}: {settled}"
        );
    }
}

/// Why growth alone does not show instability: in the transient of 64 critical queues t exceeds
/// even 2.75, its own 99 % quantile for a single queue, in nearly every run.
#[test]
fn t_alone_would_be_fooled_by_a_farm() {
    let fooled = (0..200)
        .filter(|&run| {
            let blocks = Blocks::cut(&reflected(run, 64, 0.0)).unwrap();
            Growth::measure(&blocks).t > 2.75
        })
        .count();
    assert!(fooled > 180, "{fooled}");
}
