//! The coupled Z beside [`Simpler`], on shared draws.

use filch_policy::steal::{Steal, StealFunction};
use filch_random::{Purpose, Seed};
use filch_workload::{Placement, Probability};
use num_bigint::BigUint;

use super::Coupling;
use crate::natural::Simpler;

const N: usize = 24;
const STEPS: u64 = 60;
const SPLITS: usize = 70;

fn half(load: &BigUint) -> BigUint {
    load / 2u8
}

/// As long as X and Z send the same requests, which they do for T steps, a run of [`Simpler`] on
/// the stream of a coupled run makes the coupled run's choices. So it has the same L and the same Y
/// after every step.
#[test]
fn the_same_draws_give_the_same_z() {
    let share = (0..SPLITS).fold(BigUint::from(2 * STEPS), |h, _| h * 2u8 + STEPS);
    let cases = [
        (Placement::One, 0.5),
        (Placement::Uniform, 0.5),
        (Placement::Each, 0.2),
        (Placement::Uniform, 0.9),
    ];
    for (case, (placement, lambda)) in cases.into_iter().enumerate() {
        for run in 0..20 {
            let lambda = Probability::new(lambda).unwrap();
            let heavy = (7 * run as usize) % N;
            let others: Vec<u64> = (0..N as u64).map(|i| i % 3).collect();
            let mut start: Vec<BigUint> = others.iter().map(|&jobs| jobs.into()).collect();
            start[heavy] = share.clone();
            let bounds = (STEPS, SPLITS, f64::INFINITY);
            let place = || placement.start(N).unwrap();
            let mut coupled =
                Coupling::new(start, &share, bounds, place(), lambda, half).expect("a heavy one");
            let f = StealFunction::HALF;
            assert_eq!(f.jobs(7), 3, "the same f");
            let mut alone = Simpler::new(others, heavy, SPLITS as u32, place(), lambda, f);
            let stream = || Seed::new(3).stream(Purpose::named("tests"), case as u64, run);
            let (mut one, mut other) = (stream(), stream());
            for step in 0..STEPS {
                let choices = coupled.draw(step, &mut one);
                let requests = alone.step(&mut other);
                assert_eq!(requests, choices.asks.iter().flatten().count() as u64);
                coupled.move_x(&choices);
                coupled.move_z(&choices);
                let splits = coupled.splits.iter();
                let lg = splits.map(|split| split.map(|split| SPLITS as i64 - split as i64));
                assert_eq!(alone.heavy(), lg.collect::<Vec<_>>(), "L after {step}");
                let light = coupled
                    .light
                    .iter()
                    .map(|jobs| u64::try_from(jobs).unwrap());
                assert_eq!(alone.light(), light.collect::<Vec<_>>(), "Y after {step}");
            }
        }
    }
}
