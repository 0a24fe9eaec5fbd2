//! Which dispatcher hears of an idle server, against a second, literal simulation: queues of
//! requests with their senders, and a token for each dispatcher and server.

use std::collections::VecDeque;

use filch_random::{Purpose, Seed, Stream};
use rand::RngExt as _;
use rand::seq::IteratorRandom as _;

use crate::{assert_mean, fleet, mean, replicated};

/// Mean service times and rates of the servers, and what arrives in a unit of time.
const LAWS: [&str; 4] = ["exp:1", "exp:1", "exp:0.25", "exp:0.25"];
const RATES: [f64; 4] = [1.0, 1.0, 4.0, 4.0];
const ARRIVALS: f64 = 3.0;
const UNTIL: f64 = 10_000.0;

struct Plain {
    /// For each server, when its requests arrived and which dispatcher sent them.
    queues: [VecDeque<(f64, usize)>; 4],
    /// When the first of them leaves, or never.
    leaves: [f64; 4],
    /// For each dispatcher, whether it holds the token of each server.
    tokens: Vec<[bool; 4]>,
    sent_tokens: u64,
    latencies: Vec<f64>,
    rng: Stream,
}

impl Plain {
    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.rng.random::<f64>()).ln() / rate
    }

    /// JIQ: to a server whose token the dispatcher holds, or to any.
    fn arrive(&mut self, now: f64) {
        let dispatcher = self.rng.random_range(0..self.tokens.len());
        let held = self.tokens[dispatcher];
        let idle = (0..4).filter(|&server| held[server]).choose(&mut self.rng);
        let server = idle.unwrap_or_else(|| self.rng.random_range(0..4));
        self.tokens[dispatcher][server] = false;
        self.queues[server].push_back((now, dispatcher));
        if self.queues[server].len() == 1 {
            self.leaves[server] = now + self.exponential(RATES[server]);
        }
    }

    /// The answer goes to the dispatcher that sent the request, with the token if no request is
    /// left.
    fn leave(&mut self, server: usize, now: f64) {
        let (arrived, dispatcher) = self.queues[server].pop_front().unwrap();
        if arrived >= UNTIL / 20.0 {
            self.latencies.push(now - arrived);
        }
        self.leaves[server] = f64::INFINITY;
        if self.queues[server].is_empty() {
            self.tokens[dispatcher][server] = true;
            self.sent_tokens += 1;
        } else {
            self.leaves[server] = now + self.exponential(RATES[server]);
        }
    }
}

/// The mean latency, and tokens in a unit of time.
fn plain(dispatchers: usize, replication: u64) -> (f64, f64) {
    let mut plain = Plain {
        queues: Default::default(),
        leaves: [f64::INFINITY; 4],
        tokens: vec![[true; 4]; dispatchers],
        sent_tokens: 0,
        latencies: Vec::new(),
        rng: Seed::new(77).stream(Purpose::named("plain"), replication, 0),
    };
    let mut arrives = plain.exponential(ARRIVALS);
    loop {
        let leaves = |&server: &usize| plain.leaves[server];
        let first = (0..4).min_by(|a, b| leaves(a).total_cmp(&leaves(b)));
        let server = first.unwrap();
        if plain.leaves[server] < arrives {
            plain.leave(server, plain.leaves[server]);
        } else if arrives < UNTIL {
            plain.arrive(arrives);
            arrives += plain.exponential(ARRIVALS);
        } else {
            return (mean(&plain.latencies), plain.sent_tokens as f64 / UNTIL);
        }
    }
}

/// The ratio of the two simulations' means is 1: of latencies, and of tokens.
#[test]
fn only_the_dispatcher_that_gets_the_answer_hears_of_the_idle_server() {
    let fleet = fleet(&LAWS, ARRIVALS, 1);
    for dispatchers in [1, 2, 4] {
        let plain: Vec<(f64, f64)> = (0..24).map(|run| plain(dispatchers, run)).collect();
        let latency = mean(&plain.iter().map(|run| run.0).collect::<Vec<_>>());
        let tokens = mean(&plain.iter().map(|run| run.1).collect::<Vec<_>>());
        let ratio = |measured: Vec<f64>, of: fn(&(f64, f64)) -> f64, typical: f64| -> Vec<f64> {
            let pairs = measured.iter().zip(&plain);
            pairs.map(|(a, b)| 1.0 + (a - of(b)) / typical).collect()
        };
        let latencies = replicated("jiq", &fleet, dispatchers, UNTIL, |run| {
            mean(&run.latencies)
        });
        assert_mean("latency", &ratio(latencies, |run| run.0, latency), 1.0);
        let sent = replicated("jiq", &fleet, dispatchers, UNTIL, |run| {
            run.tokens as f64 / UNTIL
        });
        assert_mean("tokens", &ratio(sent, |run| run.1, tokens), 1.0);
    }
}
