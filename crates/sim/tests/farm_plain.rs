//! The fast farm against the plain one, and what holds for every run of it.

use std::collections::BTreeMap;

use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_sim::farm::{
    Batches, Capacities, Class, FarmOutcome, Length, Line, MOST_JOBS, Run, Servers, plain, simulate,
};
use filch_workload::Arrivals;
use filch_workload::streams::ARRIVALS;
use proptest::prelude::*;

/// A few classes of servers, with capacities that vary, that do not and that are enormous.
fn any_servers() -> impl Strategy<Value = Servers> {
    let capacity = prop::sample::select(vec![
        "uniform:1",
        "uniform:1.5",
        "uniform:4",
        "constant:2",
        "table:1=3,7=1",
        "constant:4294967295",
    ]);
    // Sets of servers are words of 64 bits, so some farms have more servers than two words.
    let count = prop_oneof![4 => 0..13usize, 1 => 40..80usize];
    let class = (count, capacity);
    prop::collection::vec(class, 1..4).prop_map(|classes| {
        // Two more, so that every policy has servers to sample.
        let mut servers = vec![Class::new("plain", 2, "uniform:2".parse().unwrap())];
        for (count, capacity) in classes {
            servers.push(Class::new("more", count, capacity.parse().unwrap()));
        }
        Servers::of(servers).unwrap()
    })
}

/// Every policy there is, alone and under both combinators.
fn any_policy() -> impl Strategy<Value = Spec> {
    prop::sample::select(Spec::examples(2).collect::<Vec<_>>())
}

fn any_run() -> impl Strategy<Value = Run> {
    let batches = prop::sample::select(Batches::ALL.to_vec());
    let mean = prop_oneof![0.0..4.0, 0.0..60.0f64];
    (any_policy(), batches, mean).prop_map(|(policy, batches, mean)| {
        Run::of(policy, batches, Arrivals::poisson(mean).unwrap())
    })
}

fn counts(outcome: &FarmOutcome) -> BTreeMap<u64, u64> {
    let completions = outcome.completions.as_ref().unwrap();
    completions.counts.iter().copied().collect()
}

proptest! {
    /// Slot by slot the same queues and messages, and in the end the same completion times: with
    /// overload and without, for every policy.
    #[test]
    fn the_fast_farm_does_what_the_plain_one_does(
        servers in any_servers(),
        run in any_run(),
        seed: u64,
        slots in 1..200u32,
    ) {
        let seed = Seed::new(seed);
        let length = Length::of(slots);
        let mut line = Line::start(&run, &servers, length, seed, 3).unwrap();
        let mut farm = plain::PlainFarm::start(&run, &servers, seed, 3).unwrap();
        let mut capacities = Capacities::of(&servers, seed, 3);
        let mut batches = run.arrivals.start().unwrap();
        let mut arriving = seed.stream(ARRIVALS, 3, 0);
        for slot in 1..=slots {
            capacities.draw(1);
            let batch = batches.next_batch(&mut arriving);
            line.slots(&[batch], |_| capacities.slot(0));
            farm.slot(batch, capacities.slot(0));
            prop_assert_eq!(line.queues(), farm.queues(), "slot {}", slot);
            prop_assert_eq!(line.messages(), farm.messages(), "slot {}", slot);
        }
        let outcome = line.finish();
        prop_assert_eq!(counts(&outcome), farm.completions.clone());
        prop_assert_eq!(outcome.waited, farm.waited);
        let unfinished: usize = farm.jobs.iter().map(|jobs| jobs.len()).sum();
        prop_assert_eq!(outcome.completions.as_ref().unwrap().unfinished, unfinished as u64);

        // Several runs side by side give what each gives alone, timed or not.
        let untimed = Run { completions: false, ..run.clone() };
        let together = simulate(&servers, &[untimed, run.clone()], length, seed, 3).unwrap();
        prop_assert_eq!(&together[1], &outcome);
        prop_assert_eq!(&together[0], &FarmOutcome { completions: None, ..outcome.clone() });
        let alone = plain::simulate(&servers, &run, length, seed, 3).unwrap();
        prop_assert_eq!(counts(&outcome), alone.completions);
    }

    /// Runs that are the same at first are made together until they part, and give what each gives
    /// alone.
    #[test]
    fn runs_part_in_time(
        servers in any_servers(),
        batches in prop::sample::select(Batches::ALL.to_vec()),
        mean in prop_oneof![0.0..4.0, 0.0..60.0f64],
        completions: bool,
        warm_up in 0..60u32,
        order in Just(Spec::examples(2).filter(Spec::listens).collect::<Vec<_>>()).prop_shuffle(),
        seed: u64,
    ) {
        let arrivals = Arrivals::poisson(mean).unwrap();
        let run = |&policy: &Spec| Run { completions, ..Run::of(policy, batches, arrivals.clone()) };
        let runs: Vec<_> = order.iter().map(run).collect();
        let make = |runs: &[Run]| {
            let length = Length { warm_up, ..Length::of(200) };
            simulate(&servers, runs, length, Seed::new(seed), 0).unwrap()
        };
        for (run, together) in runs.iter().zip(make(&runs)) {
            prop_assert_eq!(&make(std::slice::from_ref(run))[0], &together, "{}", run.policy);
        }
    }

    /// Work conservation (equation 5): a server completes what it can, min(s, Q + a), and no job is
    /// lost. First come, first served: the k-th job to arrive at a server is the k-th to leave it,
    /// so completion times follow from the numbers of jobs that came and went by each slot.
    #[test]
    fn work_is_conserved_and_served_in_order(
        servers in any_servers(),
        run in any_run(),
        seed: u64,
    ) {
        const SLOTS: u32 = 80;
        let seed = Seed::new(seed);
        let mut line = Line::start(&run, &servers, Length::of(SLOTS), seed, 0).unwrap();
        let mut capacities = Capacities::of(&servers, seed, 0);
        let mut batches = run.arrivals.start().unwrap();
        let mut arriving = seed.stream(ARRIVALS, 0, 0);
        // Of each server, the slots of arrival and departure of its jobs, in order.
        let mut arrivals = vec![Vec::new(); servers.count()];
        let mut departures = vec![Vec::new(); servers.count()];
        let mut arrived = 0u64;
        for slot in 1..=SLOTS {
            let before = line.queues().to_vec();
            capacities.draw(1);
            let batch = batches.next_batch(&mut arriving);
            arrived += u64::from(batch);
            // In a copy of the farm in which no server serves, what a server gets can be seen.
            let mut idle = line.clone();
            idle.slots(&[batch], |_| IDLE);
            line.slots(&[batch], |_| capacities.slot(0));
            let mut routed = 0;
            for (server, &queue) in line.queues().iter().enumerate() {
                let capacity = capacities.slot(0)[server];
                let came = idle.queues()[server] - before[server];
                let went = capacity.min(before[server] + came);
                prop_assert_eq!(queue, before[server] + came - went);
                routed += came;
                arrivals[server].extend(std::iter::repeat_n(slot, came as usize));
                departures[server].extend(std::iter::repeat_n(slot, went as usize));
            }
            prop_assert_eq!(routed, batch);
        }
        let outcome = line.finish();
        let waiting: usize = arrivals.iter().zip(&departures).map(|(a, d)| a.len() - d.len()).sum();
        prop_assert_eq!(outcome.jobs, arrived);
        prop_assert_eq!(outcome.served + waiting as u64, arrived);
        let mut expected = BTreeMap::new();
        for (arrivals, departures) in arrivals.iter().zip(&departures) {
            for (came, went) in arrivals.iter().zip(departures) {
                *expected.entry(u64::from(went - came) + 1).or_insert(0) += 1;
            }
        }
        prop_assert_eq!(counts(&outcome), expected);
    }

    /// Proposition 3.1, after every slot: at most one message for each batch under PI, and for each
    /// sub-batch under PI-Split. It holds for every policy whose only messages are tokens.
    #[test]
    fn one_message_for_a_batch_at_most(
        servers in any_servers(),
        policy in prop::sample::select(vec!["pi", "jiq", "idle(round-robin)", "idle-fastest(last)"]),
        batches in prop::sample::select(Batches::ALL.to_vec()),
        mean in 0.0..40.0f64,
        seed: u64,
    ) {
        let run = Run::of(policy.parse().unwrap(), batches, Arrivals::poisson(mean).unwrap());
        for slots in [1, 2, 3, 5, 8, 13, 100] {
            let outcomes =
                simulate(&servers, std::slice::from_ref(&run), Length::of(slots), Seed::new(seed), 0);
            let outcome = &outcomes.unwrap()[0];
            prop_assert!(outcome.messages <= outcome.sub_batches);
            if batches == Batches::Whole {
                prop_assert_eq!(outcome.sub_batches, outcome.arrived);
            }
        }
    }

    /// The warm-up counts in the trajectory and nowhere else.
    #[test]
    fn what_happens_in_the_warm_up_is_not_counted(
        servers in any_servers(),
        run in any_run(),
        seed: u64,
        warm_up in 0..60u32,
    ) {
        let seed = Seed::new(seed);
        let run = |length| simulate(&servers, std::slice::from_ref(&run), length, seed, 0).unwrap().remove(0);
        let whole = run(Length::of(60));
        let early = run(Length::of(warm_up));
        let late = run(Length { warm_up, ..Length::of(60) });
        prop_assert_eq!(late.slots, 60 - warm_up);
        prop_assert_eq!(late.messages + early.messages, whole.messages);
        prop_assert_eq!(late.jobs + early.jobs, whole.jobs);
        prop_assert_eq!(late.served + early.served, whole.served);
        prop_assert_eq!(late.waited + early.waited, whole.waited);
        prop_assert_eq!(late.sub_batches + early.sub_batches, whole.sub_batches);
        prop_assert_eq!(&late.trajectory, &whole.trajectory);
        let timed = |outcome: &FarmOutcome| {
            counts(outcome).values().sum::<u64>() + outcome.completions.as_ref().unwrap().unfinished
        };
        prop_assert_eq!(timed(&late), late.jobs, "all jobs that arrived later, and no other");
    }
}

/// Capacities of 0, enough for any farm here.
const IDLE: &[u32] = &[0; 256];

/// A run that would overflow ends before it does.
#[test]
fn a_hopeless_run_is_ended() {
    let servers = Servers::of(vec![Class::new("one", 1, "uniform:1".parse().unwrap())]).unwrap();
    let run = Run::of(
        "random".parse().unwrap(),
        Batches::Whole,
        Arrivals::Constant(1_000_000_000),
    );
    let outcome = &simulate(&servers, &[run], Length::of(10), Seed::new(1), 0).unwrap()[0];
    assert_eq!((outcome.ended, outcome.slots), (Some(3), 2));
    assert_eq!(outcome.jobs, 2_000_000_000);
    assert!(outcome.jobs < u64::from(MOST_JOBS));
    assert_eq!(
        outcome.completions.as_ref().unwrap().counts,
        [(1, 1), (2, 1)]
    );
}

/// The same run in any company, and in any replication another.
#[test]
fn replications_differ() {
    let servers = Servers::of(vec![Class::new("all", 9, "uniform:3".parse().unwrap())]).unwrap();
    let run = Run::of(
        "jiq".parse().unwrap(),
        Batches::Split,
        Arrivals::poisson(20.0).unwrap(),
    );
    let outcome = |seed, replication| {
        let runs = std::slice::from_ref(&run);
        simulate(
            &servers,
            runs,
            Length::of(300),
            Seed::new(seed),
            replication,
        )
        .unwrap()
    };
    assert_eq!(outcome(1, 0), outcome(1, 0));
    assert_ne!(outcome(1, 0), outcome(1, 1));
    assert_ne!(outcome(1, 0), outcome(2, 0));
}
