//! Laws of capacities as traits, for one of the caller's own.

use rand::Rng;

use super::{Capacity, CapacitySampler};

/// A law of capacities at work: how many jobs a server can complete, slot after slot.
///
/// [`CapacitySampler`] implements it for the capacities that have names. A law of one's own needs
/// two methods. This server completes a job in a slot with probability p, and at most one:
///
/// ```
/// use filch_workload::Serve;
/// use rand::{Rng, RngExt};
///
/// #[derive(Clone, Debug)]
/// struct Coin {
///     p: f64,
/// }
///
/// impl Serve for Coin {
///     fn mean(&self) -> f64 {
///         self.p
///     }
///
///     fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
///         u32::from(rng.random_bool(self.p))
///     }
/// }
/// ```
///
/// PI's equation (1) asks for 1 ≤ s_i(t) ≤ s_max. A law of one's own may break it, as this one
/// does; the papers' theorems do not speak of it then.
pub trait Serve {
    /// The mean capacity μ_i, above 0: what policies that decide by speeds see.
    fn mean(&self) -> f64;

    /// One server's capacity in one slot.
    fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32;

    /// The capacities of all servers of a class in one slot.
    fn fill<R: Rng + ?Sized>(&mut self, rng: &mut R, capacities: &mut [u32]) {
        capacities.fill_with(|| self.sample(rng));
    }
}

impl Serve for CapacitySampler {
    fn mean(&self) -> f64 {
        Self::mean(self)
    }

    #[inline]
    fn sample<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
        Self::sample(self, rng)
    }

    fn fill<R: Rng + ?Sized>(&mut self, rng: &mut R, capacities: &mut [u32]) {
        Self::fill(self, rng, capacities);
    }
}

/// What a simulation starts a class of servers from: a [`Capacity`], or a [`Serve`] itself, of
/// which each class gets a clone.
pub trait CapacityLaw {
    /// What draws the capacities.
    type Sampler: Serve;

    /// The law before its first slot.
    fn sampler(&self) -> Self::Sampler;
}

impl CapacityLaw for Capacity {
    type Sampler = CapacitySampler;

    fn sampler(&self) -> CapacitySampler {
        Self::sampler(self)
    }
}

impl<S: Serve + Clone> CapacityLaw for S {
    type Sampler = S;

    fn sampler(&self) -> S {
        self.clone()
    }
}
