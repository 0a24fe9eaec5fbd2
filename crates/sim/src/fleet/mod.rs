//! Several dispatchers in front of the same servers, in continuous time.
//!
//! PI's farm (`farm`) has one dispatcher, slots, and capacities. A service has requests that take their time, and
//! often more than one dispatcher: two processes of a proxy, eight replicas of a gateway. None of them
//! sees a server's whole queue. This model has what they do see:
//!
//! * Batches of requests arrive at the instants of a Poisson process, an open loop. A batch enters by one
//!   dispatcher, uniform among them, which places its requests one by one, at once.
//! * A server has one request in service at a time, first come, first served, whoever sent it.
//! * A dispatcher ([`Front`]) knows its *own* outstanding requests. An answer that leaves the server
//!   idle says so; that is the server's token, and only the dispatcher that gets this answer hears of it. Others may
//!   hold older tokens of the same server, and may be wrong.
//!
//! Messages take no time, and no request fails.
//!
//! ```
//! use filch_random::Seed;
//! use filch_sim::fleet::{Fleet, Length, Seen, simulate};
//! use filch_workload::{ArrivalTimes, ServiceTime};
//!
//! // Ten servers of 100 ms and ten of 10 ms serve 1.1 requests a millisecond; half of that arrives.
//! let mut servers: Vec<ServiceTime> = vec!["exp:100".parse()?; 10];
//! servers.extend([ServiceTime::exponential(10.0)?; 10]);
//! let fleet = Fleet::of(servers, ArrivalTimes::new(0.55, 1)?);
//! let mean = |policy: &str, dispatchers| {
//!     let fronts = Seen::fronts(policy.parse().unwrap(), &fleet, dispatchers, true, Seed::new(1), 0).unwrap();
//!     let outcome = simulate(&fleet, fronts, Length::of(20_000.0), Seed::new(1), 0);
//!     outcome.latencies.iter().sum::<f64>() / outcome.latencies.len() as f64
//! };
//! // Eight dispatchers that count their own requests do not know much; tokens and speeds tell more.
//! assert!(mean("jsq", 8) > 2.0 * mean("jsq", 1));
//! assert!(mean("idle-fastest(sed)", 8) < mean("jsq", 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Why a request's fate is known at once
//!
//! Nobody overtakes, so the instant at which a request leaves is known when it arrives (Lindley's
//! recursion): it begins when it arrives or when its predecessor leaves, whichever is later. Latencies are
//! put down at the arrival, and a run that ends leaves no request half counted. Departures are events only because
//! dispatchers learn from answers.
//!
//! # The same draws on sockets
//!
//! The toy servers and the load of `filch-balance` draw from streams of the same addresses, replication 0: with the
//! same seed both meet the same arrivals by the same dispatchers, and a server's n-th request takes as long.

mod departures;
mod front;
mod outcome;
mod seen;
mod simulate;

pub use front::Front;
pub use outcome::Outcome;
pub use seen::Seen;
pub use simulate::{Fleet, Length, MOST_PRESENT, simulate};
