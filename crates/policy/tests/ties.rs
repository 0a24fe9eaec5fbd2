//! Where servers tie, each is chosen equally often.
//!
//! Each test compares counts with the uniform distribution by Pearson's chi-square and fails if the
//! p-value is below 10⁻⁶. There are fewer than fifty comparisons, so a right program with a new seed
//! fails one of them with probability below 5·10⁻⁵; a choice that is off by a tenth fails for sure.

mod common;

use common::stream;
use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, Spec, View};
use filch_policy::steal::Victim;
use statrs::distribution::{ChiSquared, ContinuousCDF};

const ROUNDS: u32 = 60_000;

fn assert_uniform(what: &str, counts: &[u32]) {
    let total: u32 = counts.iter().sum();
    let expected = f64::from(total) / counts.len() as f64;
    let square = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    let statistic: f64 = counts.iter().map(square).sum();
    let p = ChiSquared::new((counts.len() - 1) as f64)
        .unwrap()
        .sf(statistic);
    assert!(p > 1e-6, "{what}: {counts:?} are not uniform, p = {p:e}");
}

fn start(name: &str, view: &View<'_>) -> Dispatcher {
    name.parse::<Spec>().expect(name).start(view).expect(name)
}

/// How often each server is chosen when `prepare` makes the dispatcher afresh every time.
fn counts(name: &str, view: &View<'_>, prepare: impl Fn(&mut Dispatcher)) -> Vec<u32> {
    let mut rng = stream(11);
    let mut counts = vec![0; view.servers()];
    let fresh = {
        let mut dispatcher = start(name, view);
        prepare(&mut dispatcher);
        dispatcher
    };
    for _ in 0..ROUNDS {
        counts[fresh.clone().whole(1, view, &mut rng)] += 1;
    }
    counts
}

#[test]
fn whole_batches() {
    let queues = [4, 2, 7, 2, 2, 9, 2];
    let view = View::of_queues(&queues);
    let shortest = [1, 3, 4, 6];

    let jsq = counts("jsq", &view, |_| {});
    assert_eq!(
        jsq.iter().sum::<u32>(),
        shortest.map(|at| jsq[at]).iter().sum()
    );
    assert_uniform("jsq", &shortest.map(|at| jsq[at]));

    // All seven are sampled, so jsq:7 has the same ties.
    let sampled = counts("jsq:7", &view, |_| {});
    assert_uniform("jsq:7", &shortest.map(|at| sampled[at]));
    let remembered = counts("jsq:7:2", &view, |_| {});
    assert_uniform("jsq:7:2", &shortest.map(|at| remembered[at]));

    for name in ["random", "last", "jiq", "pi", "idle(jsq)"] {
        assert_uniform(name, &counts(name, &view, |_| {}));
    }
}

#[test]
fn idle_servers() {
    let view = View::of_queues(&[0, 3, 0, 0, 1, 0]).with_speeds(&[5.0, 9.0, 2.0, 5.0, 9.0, 5.0]);
    let prepare = |dispatcher: &mut Dispatcher| {
        dispatcher.withdraw(1);
        dispatcher.withdraw(4);
    };

    for name in ["pi", "jiq"] {
        let counts = counts(name, &view, prepare);
        assert_eq!([counts[1], counts[4]], [0, 0]);
        assert_uniform(name, &[0, 2, 3, 5].map(|at| counts[at]));
    }
    let fastest = counts("idle-fastest(sed)", &view, prepare);
    assert_eq!([fastest[1], fastest[2], fastest[4]], [0, 0, 0]);
    assert_uniform("idle-fastest", &[0, 3, 5].map(|at| fastest[at]));
}

#[test]
fn equal_delays() {
    let queues = [1, 3, 9, 0];
    let speeds = [1.0, 2.0, 5.0, 0.1]; // one more job is done after 2, 2, 2 and 10
    let view = View::of_queues(&queues).with_speeds(&speeds);
    let sed = counts("sed", &view, |_| {});
    assert_eq!(sed[3], 0);
    assert_uniform("sed", &sed[..3]);
}

/// The samples of jsq:2 are uniform pairs: two jobs for empty queues go one to each sample.
#[test]
fn samples_are_uniform_pairs() {
    let view = View::of_queues(&[0; 5]);
    let mut policy = start("jsq:2", &view);
    let mut rng = stream(12);
    let mut batch = Assignment::over(5);
    let mut pairs = [[0; 5]; 5];
    for _ in 0..ROUNDS {
        policy.split(2, &view, &mut rng, &mut batch);
        let mut pair: Vec<_> = batch.iter().map(|(server, _)| server).collect();
        pair.sort_unstable();
        pairs[pair[0]][pair[1]] += 1;
    }
    let counts: Vec<u32> = (0..5)
        .flat_map(|a| (a + 1..5).map(move |b| (a, b)))
        .map(|(a, b)| pairs[a][b])
        .collect();
    assert_eq!(counts.iter().sum::<u32>(), ROUNDS);
    assert_uniform("pairs", &counts);
}

/// Who gets the jobs that water-filling cannot spread evenly.
#[test]
fn split_batches() {
    let queues = [3, 1, 3, 8, 3];
    let speeds = [1.0; 5];
    let view = View::of_queues(&queues).with_speeds(&speeds);
    let mut rng = stream(13);
    let mut batch = Assignment::over(5);
    for name in ["jsq", "jsq:5", "jsq:5:1", "sed"] {
        // Two jobs fill queue 1 up to 3; the third is extra, for one of four queues of length 3.
        let mut extra = [0; 5];
        let mut policy = start(name, &view);
        for _ in 0..ROUNDS {
            policy.split(3, &view, &mut rng, &mut batch);
            for (server, jobs) in batch.iter() {
                extra[server] += jobs - if server == 1 { 2 } else { 0 };
            }
        }
        assert_eq!(extra[3], 0);
        assert_uniform(name, &[0, 1, 2, 4].map(|at| extra[at]));
    }
    for name in ["pi", "jiq"] {
        let fresh = start(name, &view);
        let mut extra = [0; 5];
        for _ in 0..ROUNDS {
            fresh.clone().split(7, &view, &mut rng, &mut batch);
            batch
                .iter()
                .for_each(|(server, jobs)| extra[server] += jobs - 1);
        }
        assert_uniform(name, &extra);
    }
}

/// PI-Split, equation 8: after a batch over all idle servers, the Last-Idle one is any of them.
#[test]
fn last_idle_after_a_split() {
    let view = View::of(6);
    let mut rng = stream(14);
    let mut batch = Assignment::over(6);
    for jobs in [6, 8, 60] {
        let mut last_idle = [0; 6];
        let fresh = start("pi", &view);
        for _ in 0..ROUNDS {
            let mut policy = fresh.clone();
            policy.split(jobs, &view, &mut rng, &mut batch);
            last_idle[policy.whole(1, &view, &mut rng)] += 1;
        }
        assert_uniform("last idle", &last_idle);
    }
}

#[test]
fn victims() {
    let mut rng = stream(15);
    let mut asked = [0; 5];
    (0..ROUNDS).for_each(|_| asked[Victim::Uniform.choose(2, 5, &mut rng).unwrap()] += 1);
    assert_uniform("uniform", &asked);

    let mut asked = [0; 5];
    (0..ROUNDS).for_each(|_| asked[Victim::UniformOther.choose(2, 5, &mut rng).unwrap()] += 1);
    assert_eq!(asked[2], 0, "nobody asks oneself");
    assert_uniform("uniform-other", &[0, 1, 3, 4].map(|at| asked[at]));

    assert_eq!(Victim::Uniform.choose(0, 1, &mut rng), Some(0));
    assert_eq!(Victim::UniformOther.choose(0, 1, &mut rng), None);
    for name in ["uniform", "uniform-other"] {
        assert_eq!(name.parse::<Victim>().unwrap().to_string(), name);
    }
    let error = "self".parse::<Victim>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown victim choice 'self': use one of uniform, uniform-other"
    );
}
