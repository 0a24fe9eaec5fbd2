//! The dispatcher's protocol: servers come, go and fail in any order, leases end in any way, and
//! servers say anything. No lease is lost or counted twice, and no limit is exceeded.

#![no_main]

use arbitrary::Arbitrary;
use filch_balance::{Balancer, Lease, Options, Refused, Server, Told};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Step {
    Insert { server: u8, limit: u8, tokens: bool },
    Remove(u8),
    SetUp(u8, bool),
    SetReady(u8, bool),
    Lease,
    Answered { lease: u8, header: Vec<u8> },
    Failed(u8),
    Unsent(u8),
    Abandoned(u8),
}

const POLICIES: [&str; 7] = [
    "pi",
    "jiq",
    "jsq",
    "jsq:2",
    "sed",
    "idle-fastest(sed)",
    "considerate",
];
/// So many servers may exist.
const SERVERS: u8 = 8;

fn take(leases: &mut Vec<Lease<u8>>, which: u8) -> Option<Lease<u8>> {
    let at = usize::from(which).checked_rem(leases.len())?;
    Some(leases.swap_remove(at))
}

fuzz_target!(|input: (u8, Vec<Step>)| {
    let (policy, steps) = input;
    let policy = POLICIES[usize::from(policy) % POLICIES.len()];
    let options = Options::of(policy.parse().expect("a policy"));
    let balancer = Balancer::new(options, [Server::new(0).limit(2)]).expect("a server");
    let mut leases: Vec<Lease<u8>> = Vec::new();
    for step in steps {
        match step {
            Step::Insert {
                server,
                limit,
                tokens,
            } => {
                let limit = u32::from(limit % 8) + 1;
                let server = Server::new(server % SERVERS).limit(limit);
                let _ = balancer.insert(if tokens { server.tokens() } else { server });
            }
            Step::Remove(server) => {
                balancer.remove(&(server % SERVERS));
            }
            Step::SetUp(server, up) => balancer.set_up(&(server % SERVERS), up),
            Step::SetReady(server, ready) => balancer.set_ready(&(server % SERVERS), ready),
            Step::Lease => match balancer.lease() {
                Ok(lease) => leases.push(lease),
                Err(Refused::Full) => assert!(!balancer.state().servers.is_empty()),
                Err(_) => {}
            },
            Step::Answered { lease, header } => {
                if let Some(lease) = take(&mut leases, lease) {
                    lease.answered(Told::read(Some(&header)));
                }
            }
            Step::Failed(lease) => drop(take(&mut leases, lease).map(Lease::failed)),
            Step::Unsent(lease) => drop(take(&mut leases, lease).map(Lease::unsent)),
            Step::Abandoned(lease) => drop(take(&mut leases, lease)),
        }
        assert_eq!(balancer.state().in_flight, leases.len() as u64);
    }
    drop(leases);
    assert_eq!(balancer.state().in_flight, 0);
});
