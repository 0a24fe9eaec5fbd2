//! What must hold for every policy in any history. The policies are taken from the list, so a new
//! one is tested without a change here.

mod common;

use common::{Farm, all_policies, stream};
use filch_policy::dispatch::beginning::Beginning;
use filch_policy::dispatch::{Assignment, Dispatch, Dispatcher, Needs, Spec, StartError, View};
use proptest::prelude::*;

/// Batches and capacities, slot by slot, for a farm of some size.
fn any_history() -> impl Strategy<Value = (Vec<f64>, Vec<(u32, Vec<u32>)>)> {
    // Sets of servers are words of 64 bits: one, or several.
    let servers = prop_oneof![8 => 2..9usize, 1 => 60..140usize];
    servers.prop_flat_map(|servers| {
        let speeds = prop::collection::vec((1..4u8).prop_map(f64::from), servers);
        let capacities = prop::collection::vec(0..4u32, servers);
        let slots = prop::collection::vec((0..30 + 2 * servers as u32, capacities), 1..40);
        (speeds, slots)
    })
}

/// An assignment with room for more servers than there are: what those that left had is gone.
#[test]
fn room_for_more_servers_than_there_are() {
    for policy in all_policies() {
        let (queues, speeds) = ([1; 100], [1.0; 100]);
        let all = View::of_queues(&queues).with_speeds(&speeds);
        let few = View::of_queues(&queues[..9]).with_speeds(&speeds[..9]);
        let mut rng = stream(17);
        let mut batch = Assignment::over(100);
        policy
            .start(&all)
            .unwrap()
            .split(250, &all, &mut rng, &mut batch);
        policy
            .start(&few)
            .unwrap()
            .split(25, &few, &mut rng, &mut batch);
        assert_eq!(batch.by_server().iter().sum::<u32>(), 25, "{policy}");
        assert_eq!(
            batch.iter().map(|(_, jobs)| jobs).sum::<u32>(),
            25,
            "{policy}"
        );
    }
}

proptest! {
    /// Every job of a batch is assigned exactly once, to a server that exists; whole batches stay
    /// whole.
    #[test]
    fn every_job_once((speeds, slots) in any_history(), seed: u64, split: bool) {
        for policy in all_policies() {
            let mut rng = stream(seed);
            let mut farm = Farm::new(&speeds, |view| policy.start(view).unwrap());
            for (jobs, capacities) in &slots {
                if *jobs > 0 {
                    farm.route(*jobs, split, &mut rng);
                    let assigned: u32 = farm.batch.iter().map(|(_, jobs)| jobs).sum();
                    prop_assert_eq!(assigned, *jobs, "{}", policy);
                    prop_assert!(split || farm.batch.recipients() == 1);
                    let mut servers: Vec<_> = farm.batch.iter().map(|(server, _)| server).collect();
                    servers.sort_unstable();
                    servers.dedup();
                    prop_assert_eq!(servers.len(), farm.batch.recipients());
                }
                farm.serve(capacities);
            }
        }
    }

    /// While a server is idle, a policy that uses tokens chooses only idle servers, and
    /// `idle-fastest` only the fastest of them. A split batch reaches as many of them as it has
    /// jobs, unless the rule for splitting is another.
    #[test]
    fn idle_servers_first((speeds, slots) in any_history(), seed: u64, split: bool) {
        for policy in all_policies().into_iter().filter(Spec::listens) {
            let fastest = policy.to_string().starts_with("idle-fastest");
            let mut rng = stream(seed);
            let mut farm = Farm::new(&speeds, |view| policy.start(view).unwrap());
            for (jobs, capacities) in &slots {
                let idle = farm.idle();
                if *jobs > 0 {
                    farm.route(*jobs, split, &mut rng);
                }
                if *jobs > 0 && !idle.is_empty() {
                    for (server, _) in farm.batch.iter() {
                        prop_assert!(idle.contains(&server), "{} chose busy {}", policy, server);
                    }
                    let most = idle.len().min(*jobs as usize);
                    let recipients = farm.batch.recipients();
                    let name = policy.to_string();
                    if !split || name.starts_with("idle-one") {
                        prop_assert_eq!(recipients, 1);
                    } else if name.starts_with("idle-scatter") || name.starts_with("idle-speed") {
                        prop_assert!((1..=most).contains(&recipients));
                    } else {
                        prop_assert_eq!(recipients, most);
                    }
                    let slowest_chosen = farm.batch.iter().map(|(server, _)| speeds[server]).reduce(f64::min);
                    let left_out = idle.iter().filter(|&&server| farm.batch.jobs(server) == 0);
                    if fastest {
                        for &server in left_out {
                            prop_assert!(Some(speeds[server]) <= slowest_chosen);
                        }
                    }
                }
                farm.serve(capacities);
            }
        }
    }

    /// Until a batch arrives while no server is idle, one policy stands for all that begin as it
    /// does: with its tokens, they are in the state that they would have reached by themselves.
    #[test]
    fn one_policy_begins_as_another((speeds, slots) in any_history(), seed: u64, split: bool) {
        let listening = all_policies().into_iter().filter(Spec::listens);
        let begun: Vec<_> = listening.map(|policy| {
            let mut rng = stream(seed);
            let mut farm = Farm::new(&speeds, |view| policy.start(view).unwrap());
            let new = farm.dispatcher.clone();
            for (jobs, capacities) in &slots {
                assert_eq!(Spec::knows_idle(&farm.dispatcher), !farm.idle().is_empty());
                if *jobs > 0 && !Spec::knows_idle(&farm.dispatcher) {
                    break;
                }
                if *jobs > 0 {
                    farm.route(*jobs, split, &mut rng);
                }
                farm.serve(capacities);
            }
            (policy, new, farm.dispatcher, rng, farm.queues)
        }).collect();
        let mut pairs = 0;
        for (policy, new, by_itself, rng, queues) in &begun {
            for (_, _, other, other_rng, other_queues) in begun.iter().filter(|other| policy.begins_as(&other.0)) {
                pairs += 1;
                let mut dispatcher = new.clone();
                Spec::take_tokens_of(&mut dispatcher, other);
                prop_assert_eq!(format!("{dispatcher:?}"), format!("{by_itself:?}"));
                prop_assert_eq!((rng, queues), (other_rng, other_queues));
            }
        }
        // Of the eight fallbacks of each combinator, all but `last` and `considerate` ignore what
        // they are told before they are asked.
        prop_assert_eq!(pairs, 5 * 6 * 8);
    }

    /// Proposition 3.1: pi and jiq send at most one message for each batch (sub-batch if split),
    /// and their messages are the tokens.
    #[test]
    fn at_most_one_message_per_sub_batch((speeds, slots) in any_history(), seed: u64, split: bool) {
        for name in ["pi", "jiq"] {
            let policy: Spec = name.parse().unwrap();
            let mut rng = stream(seed);
            let mut farm = Farm::new(&speeds, |view| policy.start(view).unwrap());
            let mut sub_batches = 0;
            for (jobs, capacities) in &slots {
                if *jobs > 0 {
                    farm.route(*jobs, split, &mut rng);
                    sub_batches += farm.batch.recipients() as u64;
                }
                farm.serve(capacities);
                prop_assert!(farm.dispatcher.messages() <= sub_batches);
                prop_assert_eq!(farm.dispatcher.messages(), farm.tokens);
            }
        }
    }

    /// The combinator consults its fallback only while no server is idle, so only then it probes.
    #[test]
    fn probes_only_when_no_server_is_idle((speeds, slots) in any_history(), seed: u64, split: bool) {
        let policy: Spec = "idle(jsq:2)".parse().unwrap();
        let mut rng = stream(seed);
        let mut farm = Farm::new(&speeds, |view| policy.start(view).unwrap());
        let mut probes = 0;
        for (jobs, capacities) in &slots {
            if *jobs > 0 {
                probes += if farm.idle().is_empty() { 2 } else { 0 };
                farm.route(*jobs, split, &mut rng);
            }
            farm.serve(capacities);
            prop_assert_eq!(farm.dispatcher.messages(), farm.tokens + probes);
        }
    }

    /// Servers come and go, and tokens are withdrawn: no policy ever chooses one that is gone, and
    /// idle servers still come first.
    #[test]
    fn membership_changes(
        events in prop::collection::vec((0..5u8, any::<usize>()), 1..80),
        seed: u64,
        split: bool,
    ) {
        for policy in all_policies() {
            let mut rng = stream(seed);
            let mut farm = Farm::new(&[1.0, 2.0, 3.0], |view| policy.start(view).unwrap());
            for &(event, number) in &events {
                let servers = farm.queues.len();
                let server = number % servers;
                match event {
                    0 => {
                        farm.queues.push(0);
                        farm.speeds.push((number % 3 + 1) as f64);
                        let view = View::of_queues(&farm.queues).with_speeds(&farm.speeds);
                        farm.dispatcher.server_joined(&view);
                        farm.batch.resize(servers + 1);
                    }
                    1 if servers > 1 => {
                        farm.queues.swap_remove(server);
                        farm.speeds.swap_remove(server);
                        farm.dispatcher.server_left(server, servers);
                        farm.batch.resize(servers - 1);
                    }
                    2 => {
                        // A server turns out to be busy with another dispatcher's job.
                        farm.dispatcher.withdraw(server);
                        farm.queues[server] += 1;
                    }
                    3 => farm.serve(&vec![2; servers]),
                    _ => {
                        let idle = farm.idle();
                        farm.route(number as u32 % 20 + 1, split, &mut rng);
                        if policy.listens() && !idle.is_empty() {
                            prop_assert!(farm.batch.iter().all(|(server, _)| idle.contains(&server)));
                        }
                    }
                }
            }
        }
    }
}

/// The same policy behaves the same under its type and under its name.
#[test]
fn composed_by_type_or_by_name() {
    use filch_policy::dispatch::{Idle, Last};
    let speeds = [1.0; 5];
    let mut by_type = Farm::new(&speeds, |view| -> Idle<Last> {
        Idle::over(Last::default(), view)
    });
    let mut by_name = Farm::new(&speeds, |view| {
        "pi".parse::<Spec>().unwrap().start(view).unwrap()
    });
    let (mut rng_type, mut rng_name) = (stream(4), stream(4));
    for slot in 0..500 {
        by_type.route(slot % 7 + 1, slot % 2 == 0, &mut rng_type);
        by_name.route(slot % 7 + 1, slot % 2 == 0, &mut rng_name);
        by_type.serve(&[1; 5]);
        by_name.serve(&[1; 5]);
        assert_eq!(by_type.queues, by_name.queues);
    }
}

#[test]
fn a_policy_that_cannot_work_does_not_start() {
    fn start(name: &str, view: &View<'_>) -> Result<Dispatcher, StartError> {
        name.parse::<Spec>().unwrap().start(view)
    }
    for (name, view, message) in [
        (
            "pi",
            View::of(0),
            "policy 'pi' has no servers to send to: give it at least 1",
        ),
        (
            "jsq:5",
            View::of_queues(&[0; 3]),
            "policy 'jsq:5' needs at least 5 servers, but there are 3: sample fewer or add servers",
        ),
        (
            "idle(jsq)",
            View::of(3),
            "policy 'idle(jsq)' decides by queue lengths, which are not known here: use one that does not, such as pi",
        ),
        (
            "idle-fastest(last)",
            View::of(3),
            "policy 'idle-fastest(last)' decides by the speeds of servers, which are not known here: use one that does not, such as pi",
        ),
    ] {
        assert_eq!(start(name, &view).unwrap_err().to_string(), message);
    }
    let sed: Spec = "sed".parse().unwrap();
    assert_eq!(sed.needs(), Needs::QUEUES_AND_SPEEDS);
    assert!(
        start("pi", &View::of(3)).is_ok(),
        "pi needs to see nothing but tokens"
    );
}
