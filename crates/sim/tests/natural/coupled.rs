//! The coupling of chains X and Z.

use filch_random::{Purpose, Seed};
use filch_sim::natural::{Coupling, Stop};
use filch_workload::{Placement, Probability};
use num_bigint::BigUint;

fn half(load: &BigUint) -> BigUint {
    load / 2u8
}

/// Φ_f/n of `half` by Lemma 2: h_0 = 2T and h_i = 2·h_{i−1} + T.
fn share(steps: u64, splits: usize) -> BigUint {
    (0..splits).fold(BigUint::from(2 * steps), |h, _| h * 2u8 + steps)
}

fn outcome(
    start: Vec<BigUint>,
    (steps, splits, requests): (u64, usize, f64),
    placement: Placement,
    lambda: f64,
    run: u64,
) -> filch_sim::natural::CouplingOutcome {
    let processors = start.len();
    let coupling = Coupling::new(
        start,
        &share(steps, splits),
        (steps, splits, requests),
        placement.start(processors).unwrap(),
        Probability::new(lambda).unwrap(),
        half,
    );
    let mut rng = Seed::new(7).stream(Purpose::named("tests"), run, 0);
    coupling.expect("a heavy processor").run(&mut rng)
}

/// The invariants are theorems: they hold in every run, whatever comes first.
#[test]
fn invariants_hold() {
    let (n, steps, splits) = (16, 60, 100);
    let placements = [
        Placement::One,
        Placement::Uniform,
        Placement::Roam,
        Placement::Rotate,
        Placement::Longest,
        Placement::Each,
    ];
    for (at, placement) in placements.into_iter().enumerate() {
        for (lambda, requests) in [(0.2, 1e9), (0.9, 1e9), (0.5, 70.0)] {
            for run in 0..20 {
                // The other processors have jobs too, so that Y matters.
                let mut start: Vec<BigUint> = (0..n).map(|i| BigUint::from(i % 5u32)).collect();
                start[9] = share(steps, splits);
                let outcome = outcome(
                    start,
                    (steps, splits, requests),
                    placement,
                    lambda,
                    run + 100 * at as u64,
                );
                assert_eq!(outcome.broken, None, "{placement} {lambda}");
                assert_eq!(outcome.stop == Stop::Steps, outcome.steps == steps);
                assert!(outcome.heavily_loaded >= 1);
            }
        }
    }
}

/// With room for two splits only, Ψ comes first, and the invariants hold until then.
#[test]
fn few_splits_come_first() {
    for run in 0..20 {
        let mut start = vec![BigUint::ZERO; 16];
        start[3] = share(60, 2);
        let outcome = outcome(start, (60, 2, 1e9), Placement::One, 0.1, run);
        assert_eq!((outcome.stop, outcome.broken), (Stop::Splits, None));
    }
}

/// Violations are detected: with T = 60 and far less load than Φ_f/n, the heavy processors run dry
/// and an invariant breaks.
#[test]
fn too_little_load_is_noticed() {
    let mut broken = 0;
    for run in 0..20 {
        let (steps, splits) = (60, 40);
        let mut start = vec![BigUint::ZERO; 16];
        start[3] = BigUint::from(20u8);
        let coupling = Coupling::new(
            start,
            &BigUint::from(20u8),
            (steps, splits, 1e9),
            Placement::One.start(16).unwrap(),
            Probability::new(0.1).unwrap(),
            half,
        );
        let mut rng = Seed::new(7).stream(Purpose::named("tests"), run, 1);
        broken += usize::from(coupling.unwrap().run(&mut rng).broken.is_some());
    }
    assert_eq!(broken, 20);
}

#[test]
fn without_a_heavy_processor_there_is_no_coupling() {
    let start = vec![BigUint::from(5u8); 4];
    let place = Placement::One.start(4).unwrap();
    let lambda = Probability::new(0.5).unwrap();
    assert!(Coupling::new(start, &share(10, 10), (10, 10, 100.0), place, lambda, half).is_none());
}
