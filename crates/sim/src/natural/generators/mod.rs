//! Steps 1 and 2 of Figure 1: where the generators sit, and the jobs that they make.
//!
//! The figure allocates n generators, and each makes a job with probability λ. The chain depends
//! only on how many jobs each queue gains, so those numbers are drawn directly:
//!
//! | placement | what is drawn in a step |
//! |---|---|
//! | `each`, `one`, `k:K` | Binomial(h, λ) for each host of h generators ([`Fixed`]) |
//! | `roam` | a uniform host, and one Binomial(n, λ) for it ([`Roaming`]) |
//! | `rotate` | one Binomial(n, λ) for the host of the step ([`Rotating`]) |
//! | `uniform` | Binomial(n, λ) jobs, each to a uniform processor ([`Scattered`]) |
//! | `longest`, `shortest`, `zipf:S`, a user's | the placement, then Binomial(h, λ) for each host ([`Placed`]) |
//!
//! The first three are sums of h independent Bernoulli variables, as in Figure 1. Under `uniform` a
//! generator's host is independent of whether it makes a job, so drawing hosts only for the
//! generators that make one gives the same joint law.

mod fixed;
mod placed;
mod roaming;
mod rotating;
mod scattered;
mod trials;

pub use fixed::Fixed;
pub use placed::Placed;
pub use roaming::Roaming;
pub use rotating::Rotating;
pub use scattered::Scattered;

use filch_random::Stream;
use filch_workload::{Invalid, Placement, Placer, Probability};

use super::queues::Queues;

/// What makes jobs.
///
/// A user's placement implements [`filch_workload::Place`] and is wrapped in [`Placed`].
pub trait Generate {
    /// Adds the jobs of `step`, counted from 0, to the queues, and returns their number. Called
    /// once for each step, in order.
    fn generate(&mut self, step: u64, rng: &mut Stream, queues: &mut Queues) -> u64;
}

/// Generators at any placement that has a name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Generators {
    /// They do not move.
    Fixed(Fixed),
    /// All are on one processor, which is drawn anew in every step.
    Roaming(Roaming),
    /// All are on one processor, which is the next one in every step.
    Rotating(Rotating),
    /// Each is on a processor chosen uniformly in every step.
    Scattered(Scattered),
    /// A sampler places them.
    Placed(Placed<Placer>),
}

impl Generators {
    /// n generators on as many processors, each making a job with probability λ in every step.
    ///
    /// Fails if there is no processor, or fewer than the K of `k:K`.
    pub fn new(
        placement: Placement,
        processors: usize,
        lambda: Probability,
    ) -> Result<Self, Invalid> {
        let placer = placement.start(processors)?;
        let n = processors as u32;
        Ok(match placement {
            Placement::Each | Placement::One | Placement::First(_) => {
                Self::Fixed(Fixed::new(placer, processors, lambda))
            }
            Placement::Roam => Self::Roaming(Roaming::new(n, lambda)),
            Placement::Rotate => Self::Rotating(Rotating::new(n, lambda)),
            Placement::Uniform => Self::Scattered(Scattered::new(n, lambda)),
            Placement::Longest | Placement::Shortest | Placement::Zipf(_) => {
                Self::Placed(Placed::new(placer, processors, lambda))
            }
        })
    }
}

impl Generate for Generators {
    fn generate(&mut self, step: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        match self {
            Self::Fixed(fixed) => fixed.generate(step, rng, queues),
            Self::Roaming(roaming) => roaming.generate(step, rng, queues),
            Self::Rotating(rotating) => rotating.generate(step, rng, queues),
            Self::Scattered(scattered) => scattered.generate(step, rng, queues),
            Self::Placed(placed) => placed.generate(step, rng, queues),
        }
    }
}
