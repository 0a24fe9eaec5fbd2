//! PI's server farm: policies side by side in front of simulated servers.
//!
//! A [`Sweep`] simulates every [`Farm`] under every [`Demand`] with every policy. A combination of
//! a farm, a demand and whole or split batches is a [`Situation`]: in it, all policies see the same
//! arrivals and capacities (common random numbers). [`Estimates`] are the result of one run. For
//! experiments of another shape there are [`portion`] and [`portions`].
//!
//! ```
//! use filch_experiments::Silent;
//! use filch_experiments::dispatch::{Demand, Farm, Sweep};
//! use filch_random::Seed;
//! use filch_sim::farm::{Batches, Class, Servers};
//!
//! let servers = Servers::of(vec![Class::new("all", 10, "uniform:2".parse()?)])?;
//! let sweep = Sweep {
//!     farms: &[Farm { name: "ten".to_owned(), servers }],
//!     demands: &[Demand::Load("0.7".parse()?)],
//!     batches: &[Batches::Whole],
//!     policies: &["pi".parse()?, "random".parse()?],
//!     slots: 20_000,
//!     warm_up: None,
//!     seed: Seed::new(1),
//! };
//! let situations = sweep.simulate(&Silent)?;
//! let [pi, random] = &situations[0].runs[..] else { unreachable!() };
//! let less = pi.estimates.minus(&random.estimates).ok_or("no mean to compare")?;
//! assert!(less.estimate.interval().hi < 0.0, "the queues are shorter under PI");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classes;
mod demand;
mod estimates;
mod portions;
mod sweep;

pub use classes::{Classes, capacity_of};
pub use demand::{Demand, Farm, TooMuch};
pub use estimates::Estimates;
pub use portions::{Simulation, portion, portions, simulate};
pub use sweep::{FarmRun, Situation, Sweep, SweepError};
