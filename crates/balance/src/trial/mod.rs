//! Toy servers and an open-loop load, to measure what a policy is worth on real sockets.
//!
//! A [`ToyServer`] listens on a loopback port and serves one request at a time, or several
//! ([`ToyKind`]); the others wait in its queue, first come, first served. It sleeps instead of
//! computing, so that two cores can run twenty of them. A [`Plan`] is a load drawn in advance: when
//! requests start, and by which dispatcher they enter. [`run`] starts each request at its instant
//! whatever happens to the earlier ones (an open loop), and a [`Record`] holds how long each took,
//! *counted from the intended start*. A load that waits for answers, or counts from the actual
//! start, hides latencies that the balancer causes (coordinated omission).
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
//! The random streams have the addresses of those in `filch-sim`'s fleet: with the same seed a
//! simulation has the same arrivals, and each server's n-th request takes as long there as here.

mod agenda;
mod alarm;
mod load;
mod plan;
mod record;
mod sample;
mod service_queue;
mod stalls;
mod summary;
mod toy_kind;
mod toy_server;
mod web_client;

pub use alarm::Alarm;
pub use load::{Caps, run, run_and_tell};
pub use plan::{Arrival, Plan};
pub use record::Record;
pub use sample::{Fate, Sample};
pub use stalls::{Stall, Stalls};
pub use summary::Summary;
pub use toy_kind::ToyKind;
pub use toy_server::ToyServer;
pub use web_client::{ClientError, WebClient};
