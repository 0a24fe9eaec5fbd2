//! Two exponential servers as a chain in continuous time.

use crate::{assert_mean, fleet, mean, replicated};

/// Queues are followed up to this length.
const MOST: usize = 60;

/// The mean number present under `route` (the probability that an arrival goes to server 0), by
/// Gauss–Seidel sweeps over the balance equations: outflow of a state = inflow from its neighbours.
fn mean_present(rate: f64, speeds: [f64; 2], route: impl Fn(usize, usize) -> f64) -> f64 {
    let mut law = vec![vec![1.0; MOST]; MOST];
    for _ in 0..20_000 {
        let mut moved = 0.0f64;
        for a in 0..MOST {
            for b in 0..MOST {
                // At the edge nothing more is let in.
                let to_0 = if a + 1 < MOST {
                    rate * route(a, b)
                } else {
                    0.0
                };
                let to_1 = if b + 1 < MOST {
                    rate * (1.0 - route(a, b))
                } else {
                    0.0
                };
                let served =
                    if a > 0 { speeds[0] } else { 0.0 } + if b > 0 { speeds[1] } else { 0.0 };
                let mut inflow = 0.0;
                if a > 0 {
                    inflow += law[a - 1][b] * rate * route(a - 1, b);
                }
                if b > 0 {
                    inflow += law[a][b - 1] * rate * (1.0 - route(a, b - 1));
                }
                if a + 1 < MOST {
                    inflow += law[a + 1][b] * speeds[0];
                }
                if b + 1 < MOST {
                    inflow += law[a][b + 1] * speeds[1];
                }
                let next = inflow / (to_0 + to_1 + served);
                moved = moved.max((next - law[a][b]).abs());
                law[a][b] = next;
            }
        }
        let total: f64 = law.iter().flatten().sum();
        law.iter_mut().flatten().for_each(|p| *p /= total);
        if moved < 1e-13 {
            break;
        }
    }
    let edge: f64 = (0..MOST).map(|k| law[MOST - 1][k] + law[k][MOST - 1]).sum();
    assert!(edge < 1e-7, "large enough: {edge}");
    let states = (0..MOST).flat_map(|a| (0..MOST).map(move |b| (a, b)));
    states.map(|(a, b)| (a + b) as f64 * law[a][b]).sum()
}

/// The probability that an arrival that finds these queues goes to the first.
type Route<'a> = &'a dyn Fn(usize, usize) -> f64;

/// Where the least of two numbers is; equals share.
fn least(a: f64, b: f64) -> f64 {
    if a < b {
        1.0
    } else if a > b {
        0.0
    } else {
        0.5
    }
}

/// With one dispatcher its own counts are the queues. By Little's law the mean time is the mean
/// number over the rate.
#[test]
fn policies_of_one_dispatcher() {
    let jsq = |a: usize, b: usize| least(a as f64, b as f64);
    let sed = |a: usize, b: usize| least(2.0 * (a + 1) as f64, (b + 1) as f64);
    for load in [0.5, 0.8] {
        let even = fleet(&["exp:1", "exp:1"], 2.0 * load, 1);
        let means = replicated("jsq", &even, 1, 20_000.0, |run| mean(&run.latencies));
        let exact = mean_present(2.0 * load, [1.0, 1.0], jsq) / (2.0 * load);
        assert_mean("jsq", &means, exact);

        let uneven = fleet(&["exp:1", "exp:0.5"], 3.0 * load, 1);
        // The slow server is twice as slow, so it costs 2a + √2 and the fast one b + 1.
        let considerate = |a: usize, b: usize| least(2.0 * a as f64 + 2f64.sqrt(), (b + 1) as f64);
        let routes: [(&str, Route<'_>); 3] =
            [("jsq", &jsq), ("sed", &sed), ("considerate", &considerate)];
        for (policy, route) in routes {
            let means = replicated(policy, &uneven, 1, 20_000.0, |run| mean(&run.latencies));
            let exact = mean_present(3.0 * load, [1.0, 2.0], route) / (3.0 * load);
            assert_mean(policy, &means, exact);
        }
    }
}

/// `idle-fastest(sed)` of one dispatcher: the fastest idle server, else the shortest expected
/// delay.
#[test]
fn idle_fastest_of_one_dispatcher() {
    let uneven = fleet(&["exp:1", "exp:0.5"], 2.4, 1);
    let route = |a: usize, b: usize| match (a, b) {
        (_, 0) => 0.0,
        (0, _) => 1.0,
        _ => least(2.0 * (a + 1) as f64, (b + 1) as f64),
    };
    let means = replicated("idle-fastest(sed)", &uneven, 1, 20_000.0, |run| {
        mean(&run.latencies)
    });
    assert_mean(
        "idle-fastest(sed)",
        &means,
        mean_present(2.4, [1.0, 2.0], route) / 2.4,
    );
}
