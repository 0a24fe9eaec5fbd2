//! Limits beside closed forms, and beside the equations as the papers write them, integrated by a
//! plain program.

use filch_policy::steal::{Steal, StealFunction};
use filch_theory::limit::{
    Limit, MeanField, NaturalLimit, NoLimit, StealingLimit, Supermarket, SupermarketWithMemory,
    solve, steal_one_tail, supermarket_tail, trajectory,
};

fn solved(model: &impl MeanField) -> Limit {
    let limit = solve(model).expect("a limit");
    assert!(
        limit.error < 1e-9 * (1.0 + limit.mean),
        "error {}",
        limit.error
    );
    assert!((limit.tail(0) - 1.0).abs() < 1e-12);
    limit
}

/// The stated error is not exceeded, and is small.
fn agrees(limit: &Limit, tail: impl Fn(u32) -> f64) {
    for jobs in 0..limit.shares.len() as u32 {
        let (found, exact) = (limit.tail(jobs as usize), tail(jobs));
        assert!(
            (found - exact).abs() <= limit.error,
            "{jobs}: {found} {exact}"
        );
    }
    // Far beyond what is solved, the closed form has nothing left.
    let exact: f64 = (1..20_000).map(tail).sum();
    assert!(
        (limit.mean - exact).abs() <= limit.error,
        "{} {exact}",
        limit.mean
    );
}

#[test]
fn the_supermarket_has_its_closed_form() {
    for (lambda, choices) in [(0.5, 1), (0.9, 1), (0.5, 2), (0.9, 2), (0.99, 2), (0.95, 3)] {
        let limit = solved(&Supermarket { lambda, choices });
        agrees(&limit, |jobs| supermarket_tail(lambda, choices, jobs));
        let closed = Supermarket { lambda, choices }.limit().unwrap();
        assert!((closed.mean - limit.mean).abs() <= limit.error);
        assert!((closed.tail(3) - limit.tail(3)).abs() <= limit.error);
    }
}

/// Queues that the solver does not hold have their closed form.
#[test]
fn very_long_queues_have_their_closed_form() {
    let long = Supermarket {
        lambda: 0.9995,
        choices: 1,
    };
    assert!((long.limit().unwrap().mean / 1999.0 - 1.0).abs() < 1e-9);
}

/// λ, d and the mean number of jobs with memory.
const MEMORY_MEANS: [(f64, u32, f64); 5] = [
    (0.9, 1, 2.902_002_989_787_126),
    (0.9999, 1, 12.805_824_260_623_468),
    (0.9999, 2, 8.204_967_323_916_122),
    (0.99999, 100, 2.897_260_350_424_17),
    (0.999999, 5, 7.740_769_919_055_839),
];

/// Near λ = 1 the equations with memory are beyond the solver, and their recursion is not. The
/// expected means were computed with 60 digits.
#[test]
fn memory_has_its_recursion() {
    for (lambda, choices) in [(0.3, 1), (0.9, 1), (0.9, 2), (0.99, 3)] {
        let model = SupermarketWithMemory { lambda, choices };
        let (limit, recursion) = (solved(&model), model.limit().unwrap());
        agrees(&limit, |jobs| recursion.tail(jobs as usize));
    }
    for (lambda, choices, mean) in MEMORY_MEANS {
        let limit = SupermarketWithMemory { lambda, choices }.limit().unwrap();
        let off = (limit.mean - mean).abs();
        assert!(
            off <= limit.error,
            "{lambda} {choices}: {off} {}",
            limit.error
        );
        assert!(limit.error < 1e-8);
    }
}

#[test]
fn tails_are_those_of_each_length() {
    let limit = Supermarket {
        lambda: 0.99,
        choices: 1,
    }
    .limit()
    .unwrap();
    for (jobs, &tail) in limit.tails().iter().enumerate() {
        assert_eq!(tail, limit.tail(jobs));
    }
    assert_eq!(limit.tails().len(), limit.shares.len());
}

/// Queues that no memory holds are refused at once.
#[test]
fn queues_beyond_memory_are_refused() {
    let model = Supermarket {
        lambda: 1.0 - 1e-9,
        choices: 1,
    };
    let refusal = model.limit().unwrap_err();
    assert_eq!(refusal, NoLimit::TooLong { most: 1 << 22 });
    assert!(refusal.to_string().contains("4194304 jobs"));
}

/// With hardly any jobs, the mean is λ and the time a service; nothing is less than nothing.
#[test]
fn hardly_any_jobs() {
    for lambda in [1e-300, 1e-19, 1e-12] {
        for choices in [1, 2, 5] {
            let closed = Supermarket { lambda, choices }.limit().unwrap();
            let remembered = SupermarketWithMemory { lambda, choices }.limit().unwrap();
            for limit in [closed, remembered] {
                assert!((limit.mean / lambda - 1.0).abs() < 1e-9, "{}", limit.mean);
                assert!((limit.time_in_system() - 1.0).abs() < 1e-9);
            }
        }
    }
}

/// Steep tails are solved up to a load where rounding, and not the length of queues, is what is
/// left of the error.
#[test]
fn heavy_loads_are_solved() {
    for lambda in [0.9999, 0.99999] {
        let model = Supermarket {
            lambda,
            choices: 100,
        };
        let (limit, closed) = (solve(&model).unwrap(), model.limit().unwrap());
        assert!((limit.mean - closed.mean).abs() <= limit.error);
    }
}

#[test]
fn one_choice_is_a_queue_by_itself() {
    let lambda = 0.8;
    let limit = solved(&Supermarket { lambda, choices: 1 });
    // M/M/1: λ/(1 − λ) jobs, which stay 1/(1 − λ).
    assert!((limit.mean - 4.0).abs() <= limit.error);
    assert!((limit.time_in_system() - 5.0).abs() <= limit.error / lambda);
}

#[test]
fn stealing_one_has_its_closed_form() {
    for lambda in [0.3, 0.5, 0.9, 0.97] {
        let limit = solved(&StealingLimit::new(lambda, StealFunction::ONE));
        agrees(&limit, |jobs| steal_one_tail(lambda, jobs));
    }
}

/// s_{i+1}/s_i = λ/(1 + λ − s_2) from T − 1 on, and a threshold that no queue reaches leaves M/M/1.
#[test]
fn thresholds_thin_the_tail_from_there_on() {
    let lambda = 0.8;
    for threshold in [2, 3, 5, 8] {
        let model = StealingLimit {
            threshold,
            ..StealingLimit::new(lambda, StealFunction::ONE)
        };
        let limit = solved(&model);
        let ratio = lambda / (1.0 + lambda - limit.tail(2));
        for jobs in threshold as usize - 1..threshold as usize + 8 {
            let found = limit.tail(jobs + 1) / limit.tail(jobs);
            assert!(
                (found - ratio).abs() < 1e-6,
                "{threshold} {jobs}: {found} {ratio}"
            );
        }
    }
    let model = StealingLimit {
        threshold: u64::MAX,
        ..StealingLimit::new(lambda, StealFunction::ONE)
    };
    agrees(&solved(&model), |jobs| lambda.powi(jobs as i32));
}

/// Without stealing the natural process is a queue with Poisson batches: after a step it has
/// λ²/(2(1 − λ)) jobs on average (Pollaczek–Khinchine), and none with probability (1 − λ)·e^λ.
#[test]
fn the_natural_process_without_stealing_is_one_queue() {
    for lambda in [0.3, 0.6, 0.9] {
        let none: StealFunction = "const:0".parse().unwrap();
        let limit = solved(&NaturalLimit::new(lambda, none));
        let exact = lambda * lambda / (2.0 * (1.0 - lambda));
        assert!((limit.mean - exact).abs() <= limit.error, "{}", limit.mean);
        // Empty after the step: no job or one job before it was processed.
        let before = (1.0 - lambda) * (1.0 + (lambda.exp() - 1.0));
        assert!((limit.shares[0] - before).abs() <= limit.error);
    }
}

/// In the stationary state λ jobs are processed in a step: one by each processor that has a job
/// after the requests.
#[test]
fn what_arrives_is_processed() {
    for name in ["half", "one", "sqrt", "fraction:5", "const:3"] {
        for lambda in [0.5, 0.9, 0.99] {
            let model = NaturalLimit::new(lambda, name.parse::<StealFunction>().unwrap());
            let limit = solved(&model);
            let flows = model.flows(&limit.shares);
            let busy = 1.0 - flows.requests + flows.steals;
            assert!((busy - lambda).abs() < 1e-9, "{name} {lambda}: {busy}");
            assert!(flows.moved >= flows.steals);
        }
    }
}

/// A step of the natural process with very many processors: a plain second program, which follows
/// where the processors of each load go.
fn plain_step(parts: &[f64], lambda: f64, f: impl Fn(usize) -> usize) -> Vec<f64> {
    let most = parts.len();
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let arrive = |k: usize| (-lambda).exp() * lambda.powi(k as i32) / factorial(k);
    let mut loaded = vec![0.0; most];
    for (before, part) in parts.iter().enumerate() {
        for jobs in 0..=40.min(most - 1 - before) {
            loaded[before + jobs] += part * arrive(jobs);
        }
    }
    let asked = 1.0 - (-loaded[0]).exp();
    let mut processed = vec![0.0; most];
    let serve = |jobs: usize| jobs.saturating_sub(1);
    let mut receiving = 0.0;
    for load in 1..most {
        let given = f(load);
        let gives = if given > 0 { asked * loaded[load] } else { 0.0 };
        processed[serve(load)] += loaded[load] - gives;
        processed[serve(load - given)] += gives;
        if given > 0 {
            processed[serve(given)] += gives;
            receiving += gives;
        }
    }
    processed[0] += loaded[0] - receiving;
    processed
}

#[test]
fn the_natural_limit_is_where_plain_steps_lead() {
    for (name, lambda) in [("half", 0.9), ("one", 0.7), ("sqrt", 0.8)] {
        let f: StealFunction = name.parse().unwrap();
        let mut parts = vec![0.0; 160];
        parts[0] = 1.0;
        for _ in 0..3000 {
            parts = plain_step(&parts, lambda, |load| f.jobs(load as u64) as usize);
        }
        let limit = solved(&NaturalLimit::new(lambda, f));
        for (jobs, part) in parts.iter().enumerate() {
            let share = limit.shares.get(jobs).unwrap_or(&0.0);
            assert!((share - part).abs() < 1e-9, "{name} {jobs}: {share} {part}");
        }
    }
}

/// Mitzenmacher's equations in the tails s_i, for thieves that take k jobs from a victim with T or
/// more, T ≥ 2k, look at `attempts` victims and retry: integrated by Euler's method.
fn plain_tails(lambda: f64, k: usize, t: usize, attempts: i32, retries: f64) -> Vec<f64> {
    let most = 120;
    let mut s = vec![0.0; most + 2];
    s[0] = 1.0;
    let step = 0.02;
    for _ in 0..40_000 {
        let thieves = (s[1] - s[2]) + retries * (s[0] - s[1]);
        // The best of several victims has i jobs or more with this probability.
        let best: Vec<f64> = s.iter().map(|s| 1.0 - (1.0 - s).powi(attempts)).collect();
        let at = |i: usize| best.get(i).copied().unwrap_or(0.0);
        let mut next = s.clone();
        for i in 1..=most {
            let mut change = lambda * (s[i - 1] - s[i]) - (s[i] - s[i + 1]);
            if i <= k {
                change += thieves * at(t);
            }
            // Victims that fall below i jobs: those with max(i, T) to i + k − 1.
            change -= thieves * (at(i.max(t)) - at((i + k).max(t)));
            next[i] += step * change;
        }
        s = next;
    }
    s
}

#[test]
fn stealing_is_where_the_plain_equations_lead() {
    for (k, t, attempts, retries) in [
        (1, 2, 1, 0.0),
        (1, 4, 1, 0.0),
        (1, 2, 3, 0.0),
        (2, 4, 1, 0.0),
        (3, 7, 2, 0.5),
        (1, 2, 1, 2.0),
    ] {
        let steal: StealFunction = format!("const:{k}").parse().unwrap();
        let limit = solved(&StealingLimit {
            lambda: 0.8,
            steal,
            threshold: t as u64,
            attempts: attempts as u32,
            retries,
        });
        let plain = plain_tails(0.8, k, t, attempts, retries);
        for (jobs, tail) in plain.iter().enumerate().take(100) {
            let found = limit.tail(jobs);
            assert!(
                (found - tail).abs() < 1e-8,
                "{k} {t} {attempts} {jobs}: {found} {tail}"
            );
        }
    }
}

/// More help makes queues shorter.
#[test]
fn every_means_helps() {
    let one = StealingLimit::new(0.9, StealFunction::ONE);
    let mean = |model: &StealingLimit<StealFunction>| solved(model).mean;
    let none = Supermarket {
        lambda: 0.9,
        choices: 1,
    };
    assert!(mean(&one) < solved(&none).mean);
    let half = StealingLimit::new(0.9, StealFunction::HALF);
    assert!(mean(&half) < mean(&one));
    let attempts = one.clone();
    assert!(
        mean(&StealingLimit {
            attempts: 2,
            ..attempts
        }) < mean(&one)
    );
    let retries = one.clone();
    assert!(
        mean(&StealingLimit {
            retries: 1.0,
            ..retries
        }) < mean(&one)
    );
    let threshold = one.clone();
    assert!(
        mean(&StealingLimit {
            threshold: 4,
            ..threshold
        }) > mean(&one)
    );
}

/// The remembered length as a chain of its own: its stationary law by iteration, beside the
/// recursion of the limit, at the fixed point of the whole model.
#[test]
fn the_memory_is_in_its_stationary_state() {
    for (lambda, choices) in [(0.7, 1), (0.9, 1), (0.9, 2)] {
        let limit = solved(&SupermarketWithMemory { lambda, choices });
        let most = 24;
        let share = |jobs: usize| limit.shares[jobs];
        let mut memory = vec![0.0; most + 2];
        memory[0] = 1.0;
        let mut joined = vec![0.0; most + 2];
        for _ in 0..400 {
            let mut next = vec![0.0; most + 2];
            joined.fill(0.0);
            for (held, &probability) in memory.iter().enumerate() {
                for a in 0..most {
                    // With one sample there is no second: a queue longer than any other.
                    let seconds = if choices == 1 {
                        most..most + 1
                    } else {
                        0..most
                    };
                    for b in seconds {
                        let weight = if choices == 1 { 1.0 } else { share(b) };
                        let weight = probability * share(a) * weight;
                        let mut seen = [held, a, b];
                        seen.sort_unstable();
                        joined[seen[0]] += weight;
                        next[(seen[0] + 1).min(seen[1])] += weight;
                    }
                }
            }
            memory = next;
        }
        // Stationary: as many queues grow from i − 1 to i jobs as shrink from i to i − 1.
        for jobs in 1..8 {
            let grow = lambda * joined[jobs - 1];
            assert!(
                (grow - share(jobs)).abs() < 1e-7,
                "{choices} {jobs}: {grow} {}",
                share(jobs)
            );
        }
    }
}

/// Memory helps, but at λ = 0.9 one sample and one memory are worth less than two samples: the
/// remembered queue is hardly ever empty.
#[test]
fn memory_helps() {
    let lambda = 0.9;
    let sampled = |choices| solved(&Supermarket { lambda, choices }).mean;
    let remembered = |choices| solved(&SupermarketWithMemory { lambda, choices }).mean;
    assert!(remembered(1) < sampled(1) && remembered(2) < sampled(2));
    assert!(sampled(2) < remembered(1));
}

#[test]
fn trajectories_lead_to_the_fixed_point() {
    let model = Supermarket {
        lambda: 0.5,
        choices: 1,
    };
    let (means, error) = trajectory(&model, 64, 200);
    assert!(error < 1e-6, "{error}");
    assert!((means[200] - 1.0).abs() < 1e-4, "{}", means[200]);
    // The first jobs: λ for each unit of time, less what is served.
    assert!(means[1] > 0.3 && means[1] < 0.5, "{}", means[1]);
    let natural = NaturalLimit::new(0.9, StealFunction::HALF);
    let (means, error) = trajectory(&natural, 64, 500);
    assert_eq!(error, 0.0);
    assert!((means[500] - solved(&natural).mean).abs() < 1e-9);
}

#[test]
fn no_limit_under_overload() {
    let error = solve(&NaturalLimit::new(1.0, StealFunction::HALF)).unwrap_err();
    assert!(error.to_string().starts_with("λ must be below 1"));
}
