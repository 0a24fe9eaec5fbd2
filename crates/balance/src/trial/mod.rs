//! Toy servers and an open-loop load, to see what a policy is worth on real sockets.
//!
//! A [`ToyServer`] listens on a loopback port and has one request in service at a time; the others wait
//! in its queue, first come, first served. It does not compute, it sleeps, so that two cores carry twenty
//! of them. A [`Plan`] is a load drawn in advance: when requests start and by which dispatcher they
//! enter. [`run`] starts them at these instants whatever happens to the earlier ones (an open loop),
//! and a [`Record`] holds how long each took, *counted from the intended start*: a load that
//! waits for answers, or that counts from when it got round to sending, would spare a balancer the
//! latencies that it causes (coordinated omission).
//!
//! ```
//! use std::time::Duration;
//! use filch_balance::trial::{Alarm, Caps, Plan, ToyServer, WebClient, run};
//! use filch_random::Seed;
//! use filch_workload::ArrivalTimes;
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let (alarm, seed) = (Alarm::start(), Seed::new(1));
//! let server = ToyServer::start("exp:2".parse()?, seed, 0, true, &alarm).await?;
//! let plan = Plan::draw(ArrivalTimes::new(0.1, 1)?, Duration::from_millis(200), 1, seed, 0);
//! let client = WebClient::to([server.address()]);
//! let record = run(&plan, &alarm, Caps::default(), |entry| client.get(entry)).await;
//! assert_eq!(record.summary().answered, plan.requests());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The draws have the addresses of `filch-sim`'s fleet: with the same seed a simulation meets the same
//! arrivals, and each server's n-th request takes as long there as here.

mod alarm;
mod client;
mod load;
mod plan;
mod queue;
mod record;
mod server;
mod stalls;

pub use alarm::Alarm;
pub use client::{Failed, WebClient};
pub use load::{Caps, run, run_and_tell};
pub use plan::{Arrival, Plan};
pub use record::{Fate, Record, Sample, Summary};
pub use server::ToyServer;
pub use stalls::{Stall, Stalls};
