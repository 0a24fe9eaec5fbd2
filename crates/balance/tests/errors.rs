//! Errors are not speed: a server that fails fast attracts no load, whatever the policy.

use std::time::Duration;

use filch_balance::{Balancer, Clock, Lease, Options, Outcome, Server, ServerState, Told};
use filch_policy::dispatch::Spec;
use filch_random::{Purpose, Seed};
use rand::RngExt;

/// Twenty servers of 20 ms that serve one request at a time, under 60 % of what they can serve.
struct Twenty {
    clock: Clock,
    balancer: Balancer<usize>,
    now: f64,
    /// When each server has served what it has.
    free: [f64; 20],
    open: Vec<(f64, Lease<usize>)>,
    /// Requests for each server, and failures.
    sent: [u32; 20],
    failed: u32,
}

const SERVICE: f64 = 0.02;
const RATE: f64 = 0.6 * 20.0 / SERVICE;

impl Twenty {
    fn new(policy: Spec, seed: u64, tokens: bool) -> Self {
        let clock = Clock::manual();
        let options = Options {
            clock: clock.clone(),
            seed: Seed::new(seed),
            ..Options::of(policy)
        };
        let server = |key| Server {
            tokens,
            ..Server::new(key)
        };
        Self {
            clock,
            balancer: Balancer::new(options, (0..20).map(server)).unwrap(),
            now: 0.0,
            free: [0.0; 20],
            open: Vec::new(),
            sent: [0; 20],
            failed: 0,
        }
    }

    fn set(&self, now: f64) {
        self.clock.set(Duration::from_secs_f64(now));
    }

    /// Requests arrive for `seconds`. Server 0 fails within 1 ms with this probability.
    fn run(&mut self, seconds: f64, failing: f64, seed: u64) {
        let mut rng = Seed::new(seed).stream(Purpose::named("load"), 0, 0);
        let mut exponential = |mean: f64| -(1.0 - rng.random::<f64>()).ln() * mean;
        let mut coin = Seed::new(seed).stream(Purpose::named("coin"), 0, 0);
        let end = self.now + seconds;
        let mut next = self.now + exponential(1.0 / RATE);
        while next < end {
            let first = self
                .open
                .iter()
                .map(|it| it.0)
                .fold(f64::INFINITY, f64::min);
            if first <= next {
                let at = self.open.iter().position(|it| it.0 == first).unwrap();
                self.set(first);
                let (_, lease) = self.open.swap_remove(at);
                let server = *lease.server();
                let told = if self.open.iter().any(|it| *it.1.server() == server) {
                    Told::Busy
                } else {
                    Told::Idle
                };
                if server == 0 && coin.random::<f64>() < failing {
                    self.failed += 1;
                    lease.ended(Outcome::Failed, told);
                } else {
                    lease.answered(told);
                }
                continue;
            }
            self.now = next;
            self.set(next);
            let lease = self.balancer.lease().unwrap();
            let server = *lease.server();
            self.sent[server] += 1;
            let service = if server == 0 && failing > 0.0 {
                0.001
            } else {
                exponential(SERVICE)
            };
            self.free[server] = self.free[server].max(next) + service;
            self.open.push((self.free[server], lease));
            next += exponential(1.0 / RATE);
        }
        self.now = end;
    }

    fn server(&self) -> ServerState<usize> {
        self.balancer.state().servers.swap_remove(0)
    }
}

/// An equal share would be 5 %; a policy that learned speeds from errors would send most.
#[test]
fn fast_errors_attract_no_load() {
    for policy in Spec::examples(2) {
        for tokens in [false, true] {
            let mut twenty = Twenty::new(policy, 1, tokens);
            twenty.run(8.0, 1.0, 2);
            let all: u32 = twenty.sent.iter().sum();
            let share = f64::from(twenty.failed) / f64::from(all);
            assert!(share < 0.02, "{policy}, tokens {tokens}: {share}");
        }
    }
}

/// A server that answers well again is trusted again.
#[test]
fn recovery_is_seen() {
    for policy in [
        "jsq",
        "idle-fastest(sed)",
        "considerate",
        "round-robin",
        "pi",
    ] {
        let mut twenty = Twenty::new(policy.parse().unwrap(), 3, true);
        twenty.run(10.0, 1.0, 4);
        assert_eq!(twenty.server().trust, 0.0, "{policy}");
        twenty.sent = [0; 20];
        twenty.run(10.0, 0.0, 5);
        assert!(
            twenty.server().trust > 0.8,
            "{policy}: {:?}",
            twenty.server()
        );
        twenty.sent = [0; 20];
        twenty.run(20.0, 0.0, 6);
        let share = f64::from(twenty.sent[0]) / f64::from(twenty.sent.iter().sum::<u32>());
        // Equal servers, so about 5 % for each; `pi` keeps to one server for long.
        assert!((0.02..0.1).contains(&share), "{policy}: {share}");
    }
}

/// Half of the requests fail, so about half of an equal share is sent: trust is in proportion.
#[test]
fn trust_is_in_proportion() {
    let mut trusts = Vec::new();
    let mut twenty = Twenty::new("round-robin".parse().unwrap(), 7, false);
    twenty.run(2.0, 0.5, 8);
    for seed in 0..400 {
        twenty.run(0.1, 0.5, 9 + seed);
        trusts.push(twenty.server().trust);
    }
    // The mean of 16 outcomes has a standard deviation of 0.09, the mean of some 20 of them 0.02.
    let mean = trusts.iter().sum::<f64>() / trusts.len() as f64;
    assert!((0.4..0.6).contains(&mean), "{mean}");
}

/// Nothing is learned of the speed: the server that only fails has none of its own.
#[test]
fn no_speed_from_errors() {
    let mut twenty = Twenty::new("jsq".parse().unwrap(), 1, false);
    twenty.run(5.0, 1.0, 2);
    let server = twenty.server();
    assert!(!server.learned, "{server:?}");
    assert!(server.failed > 0 && server.served == 0);
}

#[test]
fn statuses_are_configured() {
    use filch_balance::Outcomes;
    let outcomes = Outcomes::default()
        .with(501..=501, Outcome::Neutral)
        .with(429..=429, Outcome::Failed);
    let options = Options {
        outcomes,
        ..Options::default()
    };
    let balancer = Balancer::new(options, [Server::new('a')]).unwrap();
    for (status, outcome) in [
        (200, Outcome::Good),
        (404, Outcome::Good),
        (429, Outcome::Failed),
        (500, Outcome::Failed),
        (501, Outcome::Neutral),
    ] {
        let lease = balancer.lease().unwrap();
        assert_eq!(lease.outcome_of(status), outcome);
        lease.ended(outcome, Told::Silent);
    }
    let server = &balancer.state().servers[0];
    assert_eq!((server.served, server.failed), (3, 2));
}
