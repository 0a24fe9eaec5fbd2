//! The natural work-stealing process of Berenbrink, Friedetzky and Goldberg (BFG01, BFG03).
//!
//! n generators sit on n processors, in any distribution, and each makes a job with probability λ
//! in every step. A processor with an empty queue sends a request to a random processor. A
//! processor that receives requests gives f of its load to one of the senders. Then every processor
//! with a job processes one. BFG03 proves that this is stable for every λ < 1 if f is unbounded.
//!
//! * [`Natural`] is the paper's chain X (Figure 1), fast. [`PlainNatural`] is the same chain, a
//!   literal transcription of the figure.
//! * [`Simpler`] is the paper's chain Z (Figure 2), which does not track the size of a large load.
//! * [`Coupling`] runs both on the same random choices (section 4.4) and checks the three
//!   invariants of the proof.
//!
//! f is a [`Steal`](filch_policy::steal::Steal) and the placement a
//! [`Place`](filch_workload::Place), so a user can supply both:
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

mod answers;
mod chain;
mod coupling;
mod generators;
mod grouped;
mod groups;
mod plain;
mod queues;
mod requests;
pub mod rivals;
mod serve;
mod simpler;
mod uniform;

pub use chain::{Natural, StepCounts};
pub use coupling::{BrokenInvariant, Coupling, CouplingOutcome, Stop};
pub use generators::{Fixed, Generate, Generators, Placed, Roaming, Rotating, Scattered};
pub use plain::PlainNatural;
pub use queues::Queues;
pub use simpler::{Ended, Simpler};

use filch_workload::streams::{ARRIVALS, REQUESTS};

/// The most processors that [`Natural`] can have: an asked queue holds an index of 31 bits.
pub const MOST_PROCESSORS: usize = (1 << 31) - 1;
