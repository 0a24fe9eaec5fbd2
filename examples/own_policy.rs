//! A policy, arrivals and servers of your own in the simulated server farm.
//!
//! ```sh
//! cargo run --release -p filch-examples --example own_policy
//! ```
//!
//! A policy needs one method. This one meets the same arrivals and capacities as PI.

use filch_sim::prelude::*;

/// Sends a batch to a server with probability proportional to its speed.
#[derive(Clone, Debug)]
pub struct BySpeed;

impl Dispatch for BySpeed {
    fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
        let fastest = view.speeds().iter().copied().fold(0.0, f64::max);
        loop {
            let server = rng.random_range(0..view.servers());
            if rng.random_bool(view.speeds()[server] / fastest) {
                return server;
            }
        }
    }
}

/// A job in a slot with this probability: one that arrives, or one that a server can complete.
#[derive(Clone, Debug)]
pub struct Coin(pub f64);

impl Arrive for Coin {
    fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
        u32::from(rng.random_bool(self.0))
    }
}

impl Serve for Coin {
    fn mean(&self) -> f64 {
        self.0
    }

    fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
        u32::from(rng.random_bool(self.0))
    }
}

/// What happens in front of two slow servers and a fast one.
pub fn farm<P: Start>(policy: P, length: Length, replication: u64) -> FarmOutcome<P> {
    let class = |name, count, p| Class::with(name, count, Coin(p));
    let servers = Servers::of(vec![class("slow", 2, 0.2), class("fast", 1, 0.5)]).unwrap();
    let runs = [Run::with(policy, Batches::Whole, Coin(0.63))];
    let outcomes = simulate(&servers, &runs, length, Seed::new(1), replication);
    outcomes.unwrap().remove(0)
}

fn main() {
    let mine = farm(BySpeed, Length::of(1_000_000), 0).waited;
    let pi = farm("pi".parse::<Spec>().unwrap(), Length::of(1_000_000), 0).waited;
    println!("time that jobs waited, in slots: {mine} by speed, {pi} under PI");
}
