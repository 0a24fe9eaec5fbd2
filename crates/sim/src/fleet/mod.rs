//! Several dispatchers in front of the same servers, in continuous time.
//!
//! PI's farm ([`farm`](crate::farm)) has one dispatcher, slots, and capacities. A real service has
//! requests with service times, and often more than one dispatcher: two processes of a proxy, eight
//! replicas of a gateway. No dispatcher sees a server's whole queue. In this model:
//!
//! * Batches of requests arrive in an open loop, at the instants of a Poisson process unless you
//!   bring your own. A batch enters by one dispatcher, uniform among them, which places its
//!   requests one by one, at once.
//! * A server serves one request at a time, first come, first served, for all dispatchers alike;
//!   or several at a time, or all at once on shared processors. It may become slower or faster,
//!   fail, or join later ([`FleetServer`]).
//! * A dispatcher ([`Front`]) knows its *own* outstanding requests. An answer that leaves the
//!   server idle says so. That is the server's token, and only the dispatcher that gets this answer
//!   has it. Other dispatchers may hold older tokens of the same server, which may be stale.
//!
//! Requests take no time on their way, and neither do answers unless [`Fleet::answers_take`] says
//! so. [`scenario`] has settings with names, among which a default policy can be chosen.
//!
//! ```
//! use filch_random::Seed;
//! use filch_sim::fleet::{Fleet, Horizon, PolicyFront, simulate};
//! use filch_workload::{ArrivalTimes, ServiceTime};
//!
//! // Ten servers of 100 ms and ten of 10 ms serve 1.1 requests a millisecond; half of that arrives.
//! let mut servers: Vec<ServiceTime> = vec!["exp:100".parse()?; 10];
//! servers.extend([ServiceTime::exponential(10.0)?; 10]);
//! let fleet = Fleet::of(servers, ArrivalTimes::new(0.55, 1)?);
//! let mean = |policy: &str, dispatchers| {
//!     let fronts = PolicyFront::fronts(policy.parse().unwrap(), &fleet, dispatchers, true, Seed::new(1), 0).unwrap();
//!     let outcome = simulate(&fleet, fronts, Horizon::of(20_000.0), Seed::new(1), 0);
//!     outcome.latencies.iter().sum::<f64>() / outcome.latencies.len() as f64
//! };
//! // Eight dispatchers that count their own requests know little; tokens and speeds tell more.
//! assert!(mean("jsq", 8) > 2.0 * mean("jsq", 1));
//! assert!(mean("idle-fastest(sed)", 8) < mean("jsq", 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When a run ends
//!
//! Requests arrive until the horizon. Those that are there then are served to their end, so no
//! request is half counted; dispatchers no longer hear of it.
//!
//! # The same draws on sockets
//!
//! The toy servers and the load of `filch-balance` draw from streams of the same addresses
//! ([`streams`](filch_workload::streams)), replication 0. With the same seed both meet the same
//! arrivals by the same dispatchers, and the n-th request of a server takes as long.

mod agenda;
mod answer;
mod fleet_server;
mod front;
mod outcome;
mod policy_front;
mod run;
pub mod scenario;
mod simulate;
mod station;

pub use answer::Answer;
pub use fleet_server::{FleetServer, Phase};
pub use front::Front;
pub use outcome::FleetOutcome;
pub use policy_front::PolicyFront;
pub use simulate::{Fleet, Horizon, MOST_PRESENT, simulate};
