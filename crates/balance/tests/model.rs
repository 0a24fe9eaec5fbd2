//! Random sequences of events, against a model of a dispatcher made of plain maps.

use std::collections::BTreeMap;
use std::time::Duration;

use filch_balance::{
    Balancer, Clock, Lease, Options, Outcome, Outcomes, Refused, Server, Speeds, Told, Unfit,
};
use filch_policy::dispatch::Spec;
use filch_random::Seed;
use proptest::prelude::*;

/// What can be known about a server from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Known {
    /// Distinguishes a server from an earlier one with the same key.
    life: u32,
    outstanding: u32,
    token: bool,
    /// An answer without a number said idle since requests of ours were first outstanding.
    said_idle: bool,
    up: bool,
    ready: bool,
    limit: Option<u32>,
    believed: bool,
    served: u64,
    failed: u64,
}

impl Known {
    fn open(&self) -> bool {
        self.up && self.ready && self.limit.is_none_or(|limit| self.outstanding < limit)
    }
}

struct Model {
    balancer: Balancer<u8>,
    policy: Spec,
    known: BTreeMap<u8, Known>,
    lives: u32,
    leases: Vec<(Lease<u8>, u32)>,
}

impl Model {
    fn new(policy: Spec, seed: u64) -> Self {
        let clock = Clock::manual();
        let options = Options {
            policy,
            speeds: Speeds::Weights,
            seed: Seed::new(seed),
            presume_idle: None,
            outcomes: Outcomes::default(),
            clock,
        };
        Self {
            balancer: Balancer::new(options, []).unwrap(),
            policy,
            known: BTreeMap::new(),
            lives: 0,
            leases: Vec::new(),
        }
    }

    /// Sets servers with weights, limits and trust, all derived from a number.
    fn update(&mut self, number: u32) {
        let keys = (0..8u8).filter(|key| number >> key & 1 == 1);
        let servers = keys.map(|key| {
            let digit = number >> (8 + 2 * key) & 3;
            Server {
                key,
                weight: Some(f64::from(digit % 3 + 1)),
                limit: (digit > 0).then_some(digit),
                tokens: (number >> 24).count_ones() % 2 == u32::from(key) % 2,
            }
        });
        let servers: Vec<_> = servers.collect();
        let change = self.balancer.update(servers.clone()).unwrap();
        let before = std::mem::take(&mut self.known);
        let mut joined = 0;
        for server in servers {
            let mut known = before.get(&server.key).copied().unwrap_or_else(|| {
                joined += 1;
                self.lives += 1;
                Known {
                    life: self.lives,
                    outstanding: 0,
                    token: true,
                    said_idle: false,
                    up: true,
                    ready: true,
                    limit: None,
                    believed: false,
                    served: 0,
                    failed: 0,
                }
            });
            known.limit = server.limit;
            known.believed = server.tokens;
            self.known.insert(server.key, known);
        }
        let stayed = self.known.len() - joined;
        assert_eq!((change.joined, change.stayed), (joined, stayed));
        assert_eq!(change.left, before.len() - stayed);
    }

    fn lease(&mut self, tried: &[u8]) -> Result<(), TestCaseError> {
        let state = self.balancer.state();
        let leased = match tried {
            [] => self.balancer.lease(),
            _ => self.balancer.lease_avoiding(tried),
        };
        let could: Vec<u8> = self
            .known
            .iter()
            .filter(|known| known.1.open())
            .map(|known| *known.0)
            .collect();
        let may: Vec<u8> = could
            .iter()
            .copied()
            .filter(|key| !tried.contains(key))
            .collect();
        let refused = match leased {
            Ok(lease) => {
                prop_assert!(may.contains(lease.server()), "{:?} of {:?}", lease, may);
                let idle = may.iter().any(|key| self.known[key].token);
                let known = self.known.get_mut(lease.server()).unwrap();
                // A server on which requests fail may be passed over.
                let trusted = state.servers.iter().all(|server| server.trust >= 1.0);
                prop_assert!(
                    !trusted || !self.policy.listens() || !idle || known.token,
                    "an idle server waits"
                );
                prop_assert_eq!(lease.on_token(), known.token);
                known.token = false;
                known.outstanding += 1;
                self.leases.push((lease, known.life));
                return Ok(());
            }
            Err(refused) => refused,
        };
        prop_assert!(may.is_empty());
        let expected = if !could.is_empty() {
            Refused::AllTried
        } else if self.known.is_empty() {
            Refused::NoServers
        } else if self.known.values().all(|known| !known.up) {
            Refused::AllDown
        } else {
            Refused::Full
        };
        prop_assert_eq!(refused, expected);
        Ok(())
    }

    fn give_back(&mut self, number: usize) {
        if self.leases.is_empty() {
            return;
        }
        let (lease, life) = self.leases.swap_remove(number % self.leases.len());
        let mut departed = None;
        let known = self
            .known
            .get_mut(lease.server())
            .filter(|known| known.life == life);
        let known = known.unwrap_or_else(|| {
            departed.insert(Known {
                life,
                outstanding: 1,
                token: false,
                said_idle: false,
                up: false,
                ready: false,
                limit: None,
                believed: false,
                served: 0,
                failed: 0,
            })
        });
        known.outstanding -= 1;
        let empty = known.outstanding == 0 && known.up;
        match number / 7 % 7 {
            0 => drop(lease),
            1 => {
                known.failed += 1;
                lease.failed();
            }
            2 => {
                known.token = lease.on_token() && empty;
                lease.unsent();
            }
            3 => {
                known.served += 1;
                known.said_idle |= known.believed;
                known.token = empty;
                lease.answered(Told::Idle);
            }
            4 => {
                known.served += 1;
                known.token = empty && (!known.believed || known.said_idle);
                lease.answered(Told::Busy);
            }
            5 => {
                known.failed += 1;
                known.said_idle |= known.believed;
                known.token = empty;
                lease.ended(Outcome::Failed, Told::Idle);
            }
            _ => {
                known.served += 1;
                known.token = empty;
                lease.answered(Told::Silent);
            }
        }
        known.said_idle &= known.outstanding > 0;
    }

    fn compare(&self) -> Result<(), TestCaseError> {
        let state = self.balancer.state();
        prop_assert_eq!(state.in_flight, self.leases.len() as u64);
        let mut seen = BTreeMap::new();
        for server in state.servers {
            let known = Known {
                life: self.known[&server.key].life,
                outstanding: server.outstanding,
                token: server.token,
                said_idle: self.known[&server.key].said_idle,
                up: server.up,
                ready: server.ready,
                limit: server.limit,
                believed: server.tokens,
                served: server.served,
                failed: server.failed,
            };
            seen.insert(server.key, known);
        }
        prop_assert_eq!(&seen, &self.known);
        Ok(())
    }
}

proptest! {
    #[test]
    fn whatever_happens(
        events in prop::collection::vec((0..16u8, any::<u32>()), 1..120),
        seed: u64,
    ) {
        for policy in Spec::examples(2) {
            let mut model = Model::new(policy, seed);
            model.update(u32::MAX - 1);
            for &(event, number) in &events {
                let key = (number % 8) as u8;
                match event {
                    0 => model.update(number),
                    1 => {
                        let up = number & 8 == 0;
                        model.balancer.set_up(&key, up);
                        let known = model.known.get_mut(&key);
                        if let Some(known) = known.filter(|known| known.up != up) {
                            known.up = up;
                            known.token = up && known.outstanding == 0;
                        }
                    }
                    2 => {
                        let ready = number & 8 == 0;
                        model.balancer.set_ready(&key, ready);
                        if let Some(known) = model.known.get_mut(&key) {
                            known.ready = ready;
                        }
                    }
                    3 => model.lease(&[key, (number / 8 % 8) as u8])?,
                    4..=9 => model.lease(&[])?,
                    _ => model.give_back(number as usize),
                }
                model.compare()?;
            }
            model.leases.clear();
            let state = model.balancer.state();
            prop_assert!(state.servers.iter().all(|server| server.outstanding == 0));
            prop_assert_eq!(state.in_flight, 0);
        }
    }
}

#[test]
fn round_robin_skips_servers_that_are_full_or_down() {
    let servers = (0..4u8).map(|key| Server::new(key).limit(1));
    let options = Options::of("round-robin".parse().unwrap());
    let balancer = Balancer::new(options, servers).unwrap();
    let mut turns = Vec::new();
    let held = balancer.lease().unwrap();
    assert_eq!(*held.server(), 0);
    balancer.set_up(&2, false);
    for _ in 0..4 {
        let lease = balancer.lease().unwrap();
        turns.push(*lease.server());
        lease.answered(Told::Silent);
    }
    assert_eq!(turns, [1, 3, 1, 3]);
    held.answered(Told::Silent);
    balancer.set_up(&2, true);
    let turns: Vec<u8> = (0..4)
        .map(|_| *balancer.lease().unwrap().server())
        .collect();
    assert_eq!(turns, [0, 1, 2, 3]);
}

#[test]
fn a_quiet_server_is_presumed_idle() {
    let clock = Clock::manual();
    let options = Options {
        clock: clock.clone(),
        ..Options::of("pi".parse().unwrap())
    };
    let servers = (0..2u8).map(|key| Server::new(key).tokens());
    let balancer = Balancer::new(options, servers).unwrap();
    let lease = || balancer.lease().unwrap();
    for lease in [lease(), lease()] {
        let is_first = *lease.server() == 0;
        lease.answered(if is_first { Told::Busy } else { Told::Idle });
    }
    // Server 1 gets every request now, except for a probe of server 0, after which there is none
    // for a while.
    let mut sent = Vec::new();
    let mut send = |lease: Lease<u8>| {
        sent.push((*lease.server(), lease.on_token()));
        lease.answered(Told::Busy);
    };
    send(lease());
    clock.set(Duration::from_secs(2));
    send(lease());
    clock.set(Duration::from_millis(11_999));
    send(lease());
    assert!(balancer.state().servers.iter().all(|server| !server.token));
    // Server 0 has been quiet for ten seconds. It is presumed idle as soon as it is its turn to be
    // looked after.
    clock.set(Duration::from_millis(12_001));
    send(lease());
    send(lease());
    let [by_token, by_persistence, probe] = [(1, true), (1, false), (0, false)];
    assert_eq!(
        sent,
        [by_token, probe, by_persistence, by_persistence, (0, true)]
    );
    assert_eq!(balancer.state().tokens.presumed, 1);
}

#[test]
fn a_server_that_is_not_believed_is_ignored() {
    let options = Options::of("pi".parse().unwrap());
    let balancer = Balancer::new(options, [Server::new('a'), Server::new('b').tokens()]).unwrap();
    for told in [Told::Idle, Told::Busy] {
        let both = [(); 2].map(|()| balancer.lease().unwrap());
        both.into_iter().for_each(|lease| lease.answered(told));
        let state = balancer.state();
        // The first is idle because it has no request of ours, the second if it says so.
        assert!(state.servers[0].token);
        assert_eq!(state.servers[1].token, told == Told::Idle);
    }
    let tokens = balancer.state().tokens;
    assert_eq!((tokens.ignored, tokens.received, tokens.own), (1, 1, 2));
}

#[test]
fn a_token_after_another_request_is_stale() {
    let options = Options::of("jsq".parse().unwrap());
    let balancer = Balancer::new(options, [Server::new(()).tokens()]).unwrap();
    let (first, second) = (balancer.lease().unwrap(), balancer.lease().unwrap());
    first.answered(Told::Idle);
    let state = balancer.state();
    assert!(!state.servers[0].token);
    assert_eq!((state.tokens.stale, state.tokens.received), (1, 0));
    second.answered(Told::Idle);
    assert!(balancer.state().servers[0].token);
}

#[test]
fn messages_are_counted_as_in_pi() {
    let servers = || (0..5u8).map(|key| Server::new(key).limit(1));
    let jsq = Balancer::new(Options::of("jsq".parse().unwrap()), servers()).unwrap();
    let pi = Balancer::new(Options::of("pi".parse().unwrap()), servers()).unwrap();
    for balancer in [&jsq, &pi] {
        for _ in 0..10 {
            balancer.lease().unwrap().answered(Told::Silent);
        }
    }
    let cost = |balancer: &Balancer<u8>| {
        let state = balancer.state();
        (state.messages, state.messages_saved)
    };
    assert_eq!(cost(&jsq), (50, 0));
    assert_eq!(cost(&pi), (10, 40));
}

#[test]
fn unfit_servers_are_refused_and_nothing_changes() {
    let balancer = Balancer::new(Options::default(), [Server::new(1)]).unwrap();
    for (servers, at, unfit, line) in [
        (
            vec![Server::new(1), Server::new(2).weight(0.0)],
            1,
            Unfit::Weight,
            "server 2 of the list has a weight that is not a finite number above 0: use one such as 1",
        ),
        (
            vec![Server::new(2).limit(0)],
            0,
            Unfit::Limit,
            "server 1 of the list has the limit 0: use at least 1, or take the server out",
        ),
        (
            vec![Server::new(2), Server::new(2)],
            1,
            Unfit::Twice,
            "server 2 of the list is there twice: list each server once",
        ),
    ] {
        let error = balancer.update(servers).unwrap_err();
        assert_eq!(
            (error.server, error.unfit, &*error.to_string()),
            (at, unfit, line)
        );
        assert_eq!(balancer.state().servers.len(), 1);
    }
}
