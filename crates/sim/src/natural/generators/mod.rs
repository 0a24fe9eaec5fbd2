//! Steps 1 and 2 of Figure 1: where the generators sit, and the jobs that they make.
//!
//! The figure allocates n generators and lets each make a job with probability λ. What the chain
//! sees of that is only how many jobs every queue gains, so that is what is drawn, by the shortest
//! way:
//!
//! | placement | what is drawn in a step |
//! |---|---|
//! | `each`, `one`, `k:K` | Binomial(h, λ) for each host of h generators ([`Fixed`]) |
//! | `rotate` | one Binomial(n, λ) for the host of the step ([`Rotating`]) |
//! | `uniform` | Binomial(n, λ) jobs, each to a uniform processor ([`Scattered`]) |
//! | `zipf:S`, a user's own | the placement itself, then Binomial(h, λ) for each host ([`Placed`]) |
//!
//! The first two are the sum of h independent Bernoulli variables, which Figure 1 asks for. For
//! `uniform`, every generator chooses its host independently of whether it makes a job; leaving out
//! those that make none first, and drawing hosts for the others only, gives the same joint law.

mod fixed;
mod placed;
mod rotating;
mod scattered;
mod trials;

pub use fixed::Fixed;
pub use placed::Placed;
pub use rotating::Rotating;
pub use scattered::Scattered;

use filch_random::Stream;
use filch_workload::{Invalid, Placement, Placer, Probability};

use super::queues::Queues;

/// What makes jobs.
///
/// A placement of one's own implements [`filch_workload::Place`] and is wrapped in [`Placed`].
pub trait Generate {
    /// Adds the jobs of `step`, counted from 0, to the queues, and says how many there are. Steps
    /// come in order, each once.
    fn generate(&mut self, step: u64, rng: &mut Stream, queues: &mut Queues) -> u64;
}

/// Generators at any placement that has a name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Generators {
    /// They stay where they are.
    Fixed(Fixed),
    /// They are all on one processor, which moves.
    Rotating(Rotating),
    /// They are anywhere.
    Scattered(Scattered),
    /// They are where a sampler puts them.
    Placed(Placed<Placer>),
}

impl Generators {
    /// n generators on as many processors, each making a job with probability λ in every step.
    ///
    /// It fails if there is no processor, or fewer than `k:K` needs.
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
            Placement::Rotate => Self::Rotating(Rotating::new(n, lambda)),
            Placement::Uniform => Self::Scattered(Scattered::new(n, lambda)),
            Placement::Zipf(_) => Self::Placed(Placed::new(placer, processors, lambda)),
        })
    }
}

impl Generate for Generators {
    fn generate(&mut self, step: u64, rng: &mut Stream, queues: &mut Queues) -> u64 {
        match self {
            Self::Fixed(fixed) => fixed.generate(step, rng, queues),
            Self::Rotating(rotating) => rotating.generate(step, rng, queues),
            Self::Scattered(scattered) => scattered.generate(step, rng, queues),
            Self::Placed(placed) => placed.generate(step, rng, queues),
        }
    }
}
