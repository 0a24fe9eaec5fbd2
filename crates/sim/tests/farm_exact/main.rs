//! The farm against exact answers: one server's reflected random walk, and two servers' chain for
//! each policy, both solved on a finite part of the state space so large that the rest does not
//! matter.
//!
//! Means over independent replications are compared by Student's interval at a level at which a
//! right program fails one comparison in a million; there are some hundred.

mod chain;
mod one_server;
mod routing;
mod two_servers;

use filch_stats::{Confidence, replications};

/// `values`, one from each replication, have this mean.
#[track_caller]
fn assert_mean(what: &str, values: &[f64], exact: f64) {
    let level = Confidence::new(1.0 - 1e-6).unwrap();
    let estimate = replications(values, level).unwrap();
    assert!(
        estimate.interval().contains(exact),
        "{what}: {estimate}, exactly {exact}"
    );
    // And precise enough to be worth the comparison.
    assert!(
        estimate.half_width < 0.1 * exact.max(0.1),
        "{what}: {estimate}, exactly {exact}"
    );
}

/// P(X = 0), P(X = 1) … for a Poisson number X, as far as it matters; the last has what is missing.
fn poisson(mean: f64, length: usize) -> Vec<f64> {
    let mut law = vec![(-mean).exp()];
    for k in 1..length {
        law.push(law[k - 1] * mean / k as f64);
    }
    let rest = 1.0 - law.iter().sum::<f64>();
    assert!(rest < 1e-9, "{rest}");
    *law.last_mut().unwrap() += rest;
    law
}

/// Capacities with their probabilities.
type Capacity = Vec<(usize, f64)>;

fn uniform(most: usize) -> Capacity {
    (1..=most).map(|jobs| (jobs, 1.0 / most as f64)).collect()
}
