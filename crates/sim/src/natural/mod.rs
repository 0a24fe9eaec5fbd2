//! The natural work-stealing process of Berenbrink, Friedetzky and Goldberg (BFG01, BFG03).
//!
//! n generators sit on n processors, as unevenly as they like, and each makes a job with
//! probability λ in every step. A processor without a job asks a random one; whoever is asked gives
//! f of its load to one of those that asked; then everybody processes a job. BFG prove that this is
//! stable for every λ < 1 if f grows.
//!
//! * [`Natural`] is their chain X (Figure 1), fast; [`Plain`] the same word by word.
//! * [`Simpler`] is their chain Z (Figure 2), which forgets how large a large load is.
//! * [`Coupling`] runs both on the same random choices (section 4.4) and watches the three
//!   invariants that carry the proof.
//!
//! f is a [`Steal`](filch_policy::steal::Steal) and the placement a
//! [`Place`](filch_workload::Place), so both can be your own:
//!
//! ```
//! use filch_policy::steal::Steal;
//! use filch_random::Seed;
//! use filch_sim::natural::{Natural, Placed};
//! use filch_workload::{Place, Probability};
//! use rand::Rng;
//!
//! /// Give nothing below ten jobs, and a third from there on.
//! struct Reluctant;
//! impl Steal for Reluctant {
//!     fn wanted(&self, load: u64) -> u64 {
//!         if load < 10 { 0 } else { load / 3 }
//!     }
//! }
//!
//! /// All generators on the last processor in even steps, on the first in odd ones.
//! struct Swing;
//! impl Place for Swing {
//!     fn place<R: Rng + ?Sized>(&mut self, step: u64, _: &mut R, hosted: &mut [u32]) {
//!         let host = if step % 2 == 0 { hosted.len() - 1 } else { 0 };
//!         hosted.fill(0);
//!         hosted[host] = hosted.len() as u32;
//!     }
//! }
//!
//! let generators = Placed::new(Swing, 16, Probability::new(0.5)?);
//! let mut chain = Natural::new(16, generators, Reluctant, Seed::new(1), 0);
//! let moved: u64 = (0..1000).map(|_| chain.step().moved).sum();
//! assert!(moved > 0);
//! # Ok::<(), filch_workload::Invalid>(())
//! ```

mod chain;
mod coupling;
mod generators;
mod plain;
mod queues;
mod requests;
mod serve;
mod simpler;
mod uniform;

pub use chain::{Natural, Step};
pub use coupling::{Broken, Coupling, Outcome, Stop};
pub use generators::{Fixed, Generate, Generators, Placed, Rotating, Scattered};
pub use plain::Plain;
pub use queues::Queues;
pub use simpler::{Ended, Simpler};

use filch_workload::streams::{ARRIVALS, REQUESTS};

/// The most processors that [`Natural`] can have: a queue marks who asked it in 31 bits.
pub const MOST_PROCESSORS: usize = (1 << 31) - 1;
