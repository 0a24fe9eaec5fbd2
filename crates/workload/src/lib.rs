//! What work looks like: how many jobs arrive, how fast servers are, where jobs are generated, and
//! what a computation is made of.
//!
//! BL99 and ABP01 describe one computation that unfolds as it runs: module [`dag`]. The other
//! papers behind filch describe work that keeps coming. In PI, a dispatcher receives a *batch* of
//! jobs every slot, and server i can complete s_i(t) of them: [`Arrivals`] and [`Capacity`]. In
//! BFG03, n *generators* sit on n processors, and each makes a job with probability λ in every
//! step: [`Placement`] and [`Probability`]. In front of real servers time is continuous:
//! [`ArrivalTimes`] and [`ServiceTime`].
//!
//! Everything comes in two forms. A **description** is what a user types (`poisson:495`) and what
//! is written into results. It is checked when it is made, compares and prints, and does no I/O.
//! Starting it gives a **process**, which owns what makes sampling cheap (a table, the contents of
//! a file). Randomness is always an argument, so the caller decides which stream is drawn from;
//! [`streams`] names those of the simulators.
//!
//! A process of your own is a trait with one or two methods: [`Arrive`], [`Serve`], [`Place`],
//! [`ArriveInTime`], [`ServiceLaw`]. The simulators of `filch-sim` take any of them.
//!
//! # A slot of PI's farm
//!
//! Fifty slow and fifty fast servers, offered 90% of what they can do (PI section 4.1):
//!
//! ```
//! use filch_random::Seed;
//! use filch_workload::{Arrivals, Capacity, Load, streams};
//!
//! let slow: Capacity = "uniform:1".parse()?;
//! let fast: Capacity = "uniform:10".parse()?;
//! let total_capacity = 50.0 * slow.mean() + 50.0 * fast.mean();
//! assert_eq!(total_capacity, 550.0);
//!
//! let load: Load = "0.9".parse()?;
//! let arrivals = Arrivals::poisson(load.rate(total_capacity))?;
//! assert_eq!(arrivals.to_string(), "poisson:495");
//!
//! let seed = Seed::default();
//! let mut arriving = seed.stream(streams::ARRIVALS, 0, 0);
//! let mut serving = seed.stream(streams::CAPACITY, 0, 0);
//!
//! let mut batches = arrivals.start()?;
//! let batch = batches.next_batch(&mut arriving);
//! let mut capacities = [0; 100];
//! slow.sampler().fill(&mut serving, &mut capacities[..50]);
//! fast.sampler().fill(&mut serving, &mut capacities[50..]);
//!
//! assert!((400..600).contains(&batch));
//! assert!(capacities[..50].iter().all(|&jobs| jobs == 1));
//! assert!(capacities[50..].iter().all(|&jobs| (1..=19).contains(&jobs)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A step of BFG03's process
//!
//! Eight generators, all on the first three of eight processors:
//!
//! ```
//! use filch_random::{Purpose, Seed};
//! use filch_workload::{Place, Placement};
//!
//! let placement: Placement = "k:3".parse()?;
//! let mut rng = Seed::default().stream(Purpose::named("places"), 0, 0);
//! let mut hosted = [0; 8];
//! placement.start(8)?.place(0, &mut rng, &mut hosted);
//! assert_eq!(hosted, [3, 3, 2, 0, 0, 0, 0, 0]);
//! # Ok::<(), filch_workload::Invalid>(())
//! ```
//!
//! # When the input is wrong
//!
//! Errors are one line that says what to type instead:
//!
//! ```
//! use filch_workload::Arrivals;
//!
//! let error = "poison:3".parse::<Arrivals>().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "unknown arrivals 'poison:3': use poisson:L, bernoulli:P, constant:K or trace:FILE"
//! );
//! ```

mod arrival_times;
mod arrivals;
mod capacity;
pub mod dag;
mod error;
mod load;
mod number;
mod placement;
mod probability;
mod service_time;
pub mod streams;
#[cfg(test)]
mod testing;

pub use arrival_times::{ArrivalTimes, ArriveInTime};
pub use arrivals::{ArrivalLaw, Arrivals, Arrive, BatchMean, BatchProcess, TraceError};
pub use capacity::{Capacity, CapacityLaw, CapacitySampler, CapacityTable, Serve};
pub use error::{Invalid, Names};
pub use load::Load;
pub use placement::{Exponent, Lengths, Place, Placement, Placer};
pub use probability::Probability;
pub use service_time::{ServiceLaw, ServiceTime};
