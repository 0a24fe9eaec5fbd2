//! The papers' models in virtual time, one folder per model.
//!
//! | module | model | what may be your own |
//! |---|---|---|
//! | [`machine`] | P processors that run a computation (BL99, ABP01) | the computation |
//! | [`natural`] | jobs made at uneven places, stolen by idle processors (BFG03) | [`Steal`], [`Place`] |
//! | [`farm`] | one dispatcher in front of servers, in slots (PI) | [`Dispatch`], [`Arrive`], [`Serve`] |
//! | [`fleet`] | several dispatchers, in continuous time | [`Dispatch`], [`ArriveInTime`], [`ServiceLaw`] |
//!
//! Nothing here reads a clock or draws from a global generator: a run is a function of its
//! description and its seed, and gives the same values on any number of threads. Nothing here
//! concludes either; a run hands out what happened, and `filch-stats` says what that means.
//!
//! # A policy of your own
//!
//! A program needs this crate alone: [`prelude`] has the traits and types that a simulation of the
//! farm needs, and the crates that the signatures speak of are re-exported ([`policy`],
//! [`workload`], [`random`], [`rand`]).
//!
//! ```
//! use filch_sim::prelude::*;
//!
//! /// The faster of two random servers.
//! #[derive(Clone)]
//! struct Faster;
//!
//! impl Dispatch for Faster {
//!     fn whole<R: Rng + ?Sized>(&mut self, _: u32, view: &View<'_>, rng: &mut R) -> usize {
//!         let [a, b] = [(); 2].map(|()| rng.random_range(0..view.servers()));
//!         if view.speeds()[a] >= view.speeds()[b] { a } else { b }
//!     }
//! }
//!
//! let servers = Servers::of(vec![
//!     Class::new("slow", 50, "uniform:1".parse()?),
//!     Class::new("fast", 50, "uniform:10".parse()?),
//! ])?;
//! let arrivals = Arrivals::poisson(0.5 * servers.total_capacity())?;
//! let (length, seed) = (Length::of(2000), Seed::new(1));
//! let mine = [Run::with(Faster, Batches::Whole, arrivals.clone())];
//! let random = [Run::of("random".parse()?, Batches::Whole, arrivals)];
//! // With the same seed both meet the same arrivals and capacities.
//! let mine = simulate(&servers, &mine, length, seed, 0)?;
//! let random = simulate(&servers, &random, length, seed, 0)?;
//! assert_eq!(mine[0].jobs, random[0].jobs);
//! assert!(mine[0].waited < random[0].waited);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Steal`]: filch_policy::steal::Steal
//! [`Place`]: filch_workload::Place
//! [`Dispatch`]: filch_policy::dispatch::Dispatch
//! [`Arrive`]: filch_workload::Arrive
//! [`Serve`]: filch_workload::Serve
//! [`ArriveInTime`]: filch_workload::ArriveInTime
//! [`ServiceLaw`]: filch_workload::ServiceLaw

pub mod farm;
pub mod fleet;
pub mod machine;
pub mod natural;
pub mod prelude;

pub use filch_policy as policy;
pub use filch_random as random;
pub use filch_workload as workload;
pub use rand;
