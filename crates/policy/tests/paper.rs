//! What PI says about its policies, sentence by sentence.

mod common;

use common::{Farm, stream};
use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, Spec, View};

fn start(name: &str, view: &View<'_>) -> Dispatcher {
    name.parse::<Spec>().expect(name).start(view).expect(name)
}

fn split_once(name: &str, queues: &[u32], jobs: u32, seed: u64) -> Vec<u32> {
    let view = View::of_queues(queues);
    let mut batch = Assignment::over(queues.len());
    let mut dispatcher = start(name, &view);
    // Only the servers without jobs have sent their tokens.
    (0..queues.len())
        .filter(|&at| queues[at] > 0)
        .for_each(|at| dispatcher.withdraw(at));
    dispatcher.split(jobs, &view, &mut stream(seed), &mut batch);
    (0..queues.len()).map(|server| batch.jobs(server)).collect()
}

/// Section 4: "queue lengths (1, 2, 4) and a batch … with 3 jobs … (3, 3, 4)".
#[test]
fn jsq_water_filling() {
    assert_eq!(split_once("jsq", &[1, 2, 4], 3, 1), [2, 1, 0]);
}

/// Section 4, JSQ(2): the same over the two samples only. With two servers both are sampled.
#[test]
fn jsq_2_water_filling() {
    assert_eq!(split_once("jsq:2", &[1, 2], 3, 1), [2, 1]);
    for seed in 0..50 {
        let given = split_once("jsq:2", &[1, 2, 4, 8], 30, seed);
        assert_eq!(given.iter().sum::<u32>(), 30);
        assert_eq!(
            given.iter().filter(|&&jobs| jobs > 0).count(),
            2,
            "30 jobs reach both samples"
        );
    }
}

/// Section 4, JSQ(1,1): over the sample and the remembered server.
#[test]
fn jsq_1_1_water_filling() {
    let queues = [5, 5, 5, 5];
    let view = View::of_queues(&queues);
    let mut rng = stream(2);
    let mut policy = start("jsq:1:1", &view);
    let mut batch = Assignment::over(4);
    for round in 1..=100 {
        policy.split(10, &view, &mut rng, &mut batch);
        assert!((1..=2).contains(&batch.recipients()));
        assert!(
            batch
                .iter()
                .all(|(_, jobs)| jobs == 10 / batch.recipients() as u32)
        );
        assert_eq!(policy.messages(), 2 * round);
    }
}

/// Section 4, JIQ and PI: a batch is split as evenly as possible between the idle servers.
#[test]
fn idle_servers_share_evenly() {
    for name in ["jiq", "pi"] {
        for seed in 0..20 {
            let mut given = split_once(name, &[0, 3, 0, 0, 9], 11, seed);
            assert_eq!(
                [given.remove(4), given.remove(1)],
                [0, 0],
                "busy servers get nothing"
            );
            given.sort_unstable();
            assert_eq!(given, [3, 4, 4]);

            let given = split_once(name, &[0, 3, 0, 0, 9], 2, seed);
            assert_eq!(given.iter().filter(|&&jobs| jobs == 1).count(), 2);
        }
    }
}

/// Section 4, JIQ: "If there are no idle servers, each job … is sent to a randomly chosen server."
#[test]
fn jiq_without_idle_servers_scatters() {
    let given = split_once("jiq", &[1; 10], 1000, 1);
    assert_eq!(given.iter().sum::<u32>(), 1000);
    // Each of the ten gets 100 ± 9.5; less than 43 has probability below 1e-9.
    assert!(given.iter().all(|&jobs| jobs > 43), "{given:?}");
}

/// Section 4, PI: "Otherwise, the entire batch is sent to the last idle server."
#[test]
fn pi_without_idle_servers_persists() {
    let mut rng = stream(1);
    for split in [false, true] {
        let mut farm = Farm::new(&[1.0; 4], |view| start("pi", view));
        farm.route(4, split, &mut rng);
        if !split {
            // The other three get a batch each.
            (0..3).for_each(|_| farm.route(1, false, &mut rng));
        }
        assert_eq!(farm.idle(), []);
        farm.route(9, split, &mut rng);
        let first: Vec<_> = farm.batch.iter().collect();
        assert_eq!(first.len(), 1);
        for _ in 0..5 {
            farm.route(9, split, &mut rng);
            assert_eq!(farm.batch.iter().collect::<Vec<_>>(), first);
        }
    }
}

/// Section 2.1, Example 1: a server with jobs that finishes them all sends its token at the end of
/// the slot.
#[test]
fn token_example_1() {
    let mut rng = stream(1);
    let mut farm = Farm::new(&[1.0; 2], |view| start("pi", view));
    farm.route(2, false, &mut rng);
    let busy = farm
        .batch
        .iter()
        .next()
        .expect("one server got the batch")
        .0;
    farm.serve(&[1; 2]); // Q(t−1) = 1: the server holds its token
    assert_eq!(farm.dispatcher.messages(), 0);
    farm.serve(&[1; 2]); // Q(t) = 0: it becomes idle and sends the token
    assert_eq!(farm.dispatcher.messages(), 1);

    // The dispatcher holds both tokens again, so two batches find two idle servers.
    farm.route(1, false, &mut rng);
    farm.route(1, false, &mut rng);
    assert_eq!(farm.queues, [1, 1], "server {busy} was idle again");
}

/// Section 2.1, Example 2: jobs come to an idle server, which serves them all in the same slot; its
/// token travels there and back.
#[test]
fn token_example_2() {
    let mut rng = stream(1);
    let mut farm = Farm::new(&[1.0; 1], |view| start("pi", view));
    for slot in 1..=5 {
        farm.route(3, false, &mut rng);
        farm.serve(&[3]);
        assert_eq!(farm.queues, [0]);
        assert_eq!(farm.dispatcher.messages(), slot);
    }
    // No jobs, no message: a server that stays idle did not become idle.
    farm.serve(&[3]);
    assert_eq!(farm.dispatcher.messages(), 5);
}

/// Section 2.1: at t = 0 the dispatcher holds the tokens of the idle servers, which were not sent.
#[test]
fn tokens_held_at_the_start_cost_nothing() {
    let farm = Farm::new(&[1.0; 100], |view| start("jiq", view));
    assert_eq!(farm.dispatcher.messages(), 0);
}

/// Section 4.1: messages in a slot with arrivals: n for JSQ, 2 for JSQ(2) and JSQ(1,1).
#[test]
fn probes_per_batch() {
    let mut rng = stream(1);
    for (name, probes) in [
        ("jsq", 100),
        ("sed", 100),
        ("jsq:2", 2),
        ("jsq:1:1", 2),
        ("jsq:5:3", 8),
        ("random", 0),
        ("round-robin", 0),
        ("last", 0),
    ] {
        for split in [false, true] {
            let mut farm = Farm::new(&[1.0; 100], |view| start(name, view));
            for batches in 1..=20 {
                farm.route(7, split, &mut rng);
                farm.serve(&[1; 100]);
                assert_eq!(farm.dispatcher.messages(), batches * probes, "{name}");
            }
        }
    }
}
