//! A policy that follows its servers makes the same decisions as one that looks at all of them.

mod common;

use common::{all_policies, stream};
use filch_policy::dispatch::{Dispatch, ServerBits, View};
use proptest::prelude::*;

proptest! {
    /// Queues and speeds change one at a time, servers come and go, tokens arrive and are
    /// withdrawn; the same numbers are drawn, so the choices are the same, ties included.
    #[test]
    fn decides_as_if_it_looked(
        events in prop::collection::vec((0..8u8, any::<usize>()), 1..120),
        seed: u64,
    ) {
        for policy in all_policies() {
            let (mut queues, mut speeds) = (vec![0; 3], vec![1.0, 2.0, 2.0]);
            let view = View::of_queues(&queues).with_speeds(&speeds);
            let mut looking = policy.start(&view).unwrap();
            let mut following = policy.start_following(&view).unwrap();
            let (mut looks, mut follows) = (stream(seed), stream(seed));
            for &(event, number) in &events {
                let servers = queues.len();
                let server = number % servers;
                match event {
                    0 => queues.push(0),
                    1 if servers > 1 => {
                        queues.swap_remove(server);
                        speeds.swap_remove(server);
                        looking.server_left(server, servers);
                        following.server_left(server, servers);
                        continue;
                    }
                    2 => queues[server] = number as u32 % 3,
                    3 => speeds[server] = (number % 3 + 1) as f64,
                    _ => {}
                }
                speeds.resize(queues.len(), (number % 3 + 1) as f64);
                let view = View::of_queues(&queues).with_speeds(&speeds);
                match event {
                    0 => {
                        looking.server_joined(&view);
                        following.server_joined(&view);
                    }
                    2 | 3 => {
                        // Of the policy that looks, only the tokens need to hear of a speed.
                        looking.changed(server, &view);
                        following.changed(server, &view);
                    }
                    4 => {
                        looking.fell_idle(server, &view);
                        following.fell_idle(server, &view);
                    }
                    7 => {
                        let mut marks = vec![0; queues.len()];
                        marks[server] = 1;
                        let mut idle = ServerBits::none_of(queues.len());
                        idle.mark(&marks);
                        looking.fell_idle(server, &view);
                        following.fell_idle_together(&idle, &view);
                    }
                    5 => {
                        looking.withdraw(server);
                        following.withdraw(server);
                    }
                    _ => {
                        let jobs = number as u32 % 2 + 1;
                        let chosen = looking.whole(jobs, &view, &mut looks);
                        prop_assert_eq!(following.whole(jobs, &view, &mut follows), chosen, "{}", policy);
                        queues[chosen] += jobs;
                        let view = View::of_queues(&queues).with_speeds(&speeds);
                        following.changed(chosen, &view);
                    }
                }
                prop_assert_eq!(looking.messages(), following.messages());
            }
        }
    }
}
