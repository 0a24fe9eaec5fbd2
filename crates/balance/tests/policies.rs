//! A dispatcher decides as the plain policy does.

use filch_balance::{Balancer, Lease, Options, Server, Speeds, Told};
use filch_policy::dispatch::{Dispatch, Spec, View};
use filch_random::{Purpose, Seed};
use proptest::prelude::*;

proptest! {
    /// The same requests and answers go to the plain policy, which looks at all queues, and to a
    /// dispatcher. Both draw the same numbers, so every choice is the same.
    #[test]
    fn the_same_events_the_same_decisions(
        weights in prop::collection::vec(1..4u8, 2..20),
        events in prop::collection::vec(any::<Option<u16>>(), 1..150),
        seed: u64,
    ) {
        let speeds: Vec<f64> = weights.iter().map(|&weight| weight.into()).collect();
        for policy in Spec::examples(2) {
            let mut queues = vec![0; speeds.len()];
            let view = View::of_queues(&queues).with_speeds(&speeds);
            let mut plain = policy.start(&view).unwrap();
            let mut rng = Seed::new(seed).stream(Purpose::named("balance"), 0, 0);
            let options = Options {
                speeds: Speeds::Weights,
                seed: Seed::new(seed),
                ..Options::of(policy)
            };
            let servers = speeds.iter().enumerate();
            let servers = servers.map(|(key, &speed)| Server::new(key).weight(speed));
            let balancer = Balancer::new(options, servers).unwrap();
            let mut leases: Vec<Lease<usize>> = Vec::new();
            for event in &events {
                let answered = event.filter(|_| !leases.is_empty());
                if let Some(number) = answered {
                    let lease = leases.swap_remove(usize::from(number) % leases.len());
                    let server = *lease.server();
                    lease.answered(Told::Silent);
                    queues[server] -= 1;
                    if queues[server] == 0 {
                        plain.fell_idle(server, &View::of_queues(&queues).with_speeds(&speeds));
                    }
                } else {
                    let view = View::of_queues(&queues).with_speeds(&speeds);
                    let server = plain.whole(1, &view, &mut rng);
                    queues[server] += 1;
                    let lease = balancer.lease().unwrap();
                    prop_assert_eq!(*lease.server(), server, "{}", policy);
                    leases.push(lease);
                }
            }
            prop_assert_eq!(balancer.state().messages, plain.messages(), "{}", policy);
        }
    }
}
