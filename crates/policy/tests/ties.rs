//! Where servers tie, each is chosen equally often.
//!
//! Each test compares counts with the uniform distribution by Pearson's chi-square and fails if the
//! p-value is below 10⁻⁶. There are fewer than fifty comparisons, so a right program with a new
//! seed fails one of them with probability below 5·10⁻⁵. One choice of at most ten that is made a
//! tenth too often or too rarely is found out in 9999 of 10 000 cases; with more choices, each
//! rarer, only larger mistakes are.

mod common;

use common::stream;
use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, Spec, View};
use filch_policy::steal::Victim;
use filch_stats::chi_square_uniform;

const ROUNDS: u64 = 120_000;

#[track_caller]
fn assert_uniform(what: &str, counts: &[u64]) {
    let p = chi_square_uniform(counts).expect("many counts");
    assert!(p > 1e-6, "{what}: {counts:?} are not uniform, p = {p:e}");
}

fn start(name: &str, view: &View<'_>) -> Dispatcher {
    name.parse::<Spec>().expect(name).start(view).expect(name)
}

/// How often each server is chosen when `prepare` makes the dispatcher afresh every time.
fn counts(name: &str, view: &View<'_>, prepare: impl Fn(&mut Dispatcher)) -> Vec<u64> {
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
        jsq.iter().sum::<u64>(),
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
    let counts: Vec<u64> = (0..5)
        .flat_map(|a| (a + 1..5).map(move |b| (a, b)))
        .map(|(a, b)| pairs[a][b])
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), ROUNDS);
    assert_uniform("pairs", &counts);
}

/// The sample of jsq:1:1 is any server. The dispatcher remembers server 0; of two jobs for empty
/// queues one goes there and one to the sample, or both if they are the same.
#[test]
fn samples_beside_the_memory_are_uniform() {
    const SERVERS: usize = 20;
    let mut rng = stream(16);
    let mut queues = [9; SERVERS];
    queues[0] = 0;
    let mut fresh = start("jsq:1:1", &View::of_queues(&queues));
    let found = (0..10_000).any(|_| fresh.whole(1, &View::of_queues(&queues), &mut rng) == 0);
    assert!(found, "server 0 is sampled sooner or later");

    let empty = View::of_queues(&[0; SERVERS]);
    let mut batch = Assignment::over(SERVERS);
    let mut samples = [0; SERVERS];
    for _ in 0..ROUNDS {
        fresh.clone().split(2, &empty, &mut rng, &mut batch);
        assert!(batch.jobs(0) > 0, "server 0 is remembered");
        let sample = (1..SERVERS).find(|&server| batch.jobs(server) > 0);
        samples[sample.unwrap_or(0)] += 1;
    }
    assert_uniform("the sample of jsq:1:1", &samples);
}

/// PI-Split with fewer jobs than idle servers: each pair of servers is as likely as any other.
#[test]
fn few_jobs_for_many_idle_servers() {
    const SERVERS: usize = 5;
    let view = View::of(SERVERS).with_speeds(&[1.0; SERVERS]);
    let mut rng = stream(17);
    let mut batch = Assignment::over(SERVERS);
    for name in ["pi", "jiq", "idle-fastest(last)"] {
        let fresh = start(name, &view);
        let mut pairs = [0; SERVERS * SERVERS];
        for _ in 0..ROUNDS {
            fresh.clone().split(2, &view, &mut rng, &mut batch);
            let mut pair: Vec<_> = batch.iter().map(|(server, _)| server).collect();
            pair.sort_unstable();
            pairs[pair[0] * SERVERS + pair[1]] += 1;
        }
        let counts: Vec<u64> = (0..SERVERS)
            .flat_map(|a| (a + 1..SERVERS).map(move |b| (a, b)))
            .map(|(a, b)| pairs[a * SERVERS + b])
            .collect();
        assert_eq!(counts.iter().sum::<u64>(), ROUNDS);
        assert_uniform(name, &counts);
    }
}

/// Ties that are spread over several blocks of the scan.
#[test]
fn many_servers() {
    const SERVERS: usize = 50;
    let view = View::of_queues(&[3; SERVERS]).with_speeds(&[2.0; SERVERS]);
    for name in ["jsq", "sed"] {
        assert_uniform(name, &counts(name, &view, |_| {}));
    }
}

/// Three jobs that cannot be spread evenly over seven queues: each queue gets one of them equally
/// often. The counts of one round exclude one another, which makes the statistic smaller by the
/// factor 4/6; so the p-value is an upper bound, and the test accuses even more rarely.
#[test]
fn several_extra_jobs() {
    const SERVERS: usize = 7;
    let view = View::of_queues(&[1; SERVERS]);
    let mut rng = stream(18);
    let mut batch = Assignment::over(SERVERS);
    let mut extra = [0; SERVERS];
    let mut jsq = start("jsq", &view);
    for _ in 0..ROUNDS {
        jsq.split(3, &view, &mut rng, &mut batch);
        batch
            .iter()
            .for_each(|(server, jobs)| extra[server] += u64::from(jobs));
    }
    assert_uniform("three extra jobs", &extra);
}

/// When the server of the previous batch has left, `last` starts again with a random one.
#[test]
fn last_after_its_server_left() {
    let mut rng = stream(19);
    let before = View::of(6);
    let mut fresh = start("last", &before);
    let gone = fresh.whole(1, &before, &mut rng);
    fresh.server_left(gone, 6);
    let view = View::of(5);
    let mut next = vec![0; 5];
    for _ in 0..ROUNDS {
        next[fresh.clone().whole(1, &view, &mut rng)] += 1;
    }
    assert_uniform("last", &next);
}

/// Which servers get the jobs that water-filling cannot spread evenly.
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
                extra[server] += u64::from(jobs - if server == 1 { 2 } else { 0 });
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
                .for_each(|(server, jobs)| extra[server] += u64::from(jobs - 1));
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

/// The same with three idle servers among so many that tokens are drawn one by one: the Last-Idle
/// server is independent of the server that gets one job more.
#[test]
fn last_idle_of_few_among_many() {
    let view = View::of(200);
    let mut rng = stream(16);
    let mut batch = Assignment::over(200);
    let mut fresh = start("pi", &view);
    (0..197).for_each(|server| fresh.withdraw(server));
    let mut pairs = [0; 9];
    for _ in 0..ROUNDS {
        let mut policy = fresh.clone();
        policy.split(4, &view, &mut rng, &mut batch);
        let more = batch.iter().find(|(_, jobs)| *jobs == 2).unwrap().0;
        let last_idle = policy.whole(1, &view, &mut rng);
        pairs[3 * (more - 197) + last_idle - 197] += 1;
    }
    assert_uniform("one more, last idle", &pairs);
}

#[test]
fn victims() {
    let mut rng = stream(15);
    let mut asked = [0; 5];
    (0..ROUNDS).for_each(|_| asked[Victim::Uniform.choose(2, 5, &mut rng).unwrap()] += 1);
    assert_uniform("uniform", &asked);

    let mut asked = [0; 5];
    (0..ROUNDS).for_each(|_| asked[Victim::UniformOther.choose(2, 5, &mut rng).unwrap()] += 1);
    assert_eq!(asked[2], 0, "a thief does not ask itself");
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
