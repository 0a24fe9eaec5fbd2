//! Arrival processes as traits, for one of the caller's own.

use rand::Rng;

use super::{Arrivals, BatchProcess, TraceError};

/// A running arrival process: how many jobs arrive, slot after slot.
///
/// [`BatchProcess`] implements it for the arrivals that have names. A process of one's own needs
/// one method. This one has a burst of ten jobs now and then, and each slot of a burst is followed
/// by another with probability 0.8:
///
/// ```
/// use filch_workload::Arrive;
/// use rand::{Rng, RngExt};
///
/// #[derive(Clone, Debug, Default)]
/// struct Bursts {
///     within: bool,
/// }
///
/// impl Arrive for Bursts {
///     fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
///         self.within = rng.random_bool(if self.within { 0.8 } else { 0.1 });
///         if self.within { 10 } else { 0 }
///     }
/// }
/// ```
pub trait Arrive {
    /// The number of jobs that arrive in the next slot.
    fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32;
}

impl Arrive for BatchProcess {
    #[inline]
    fn next_batch<R: Rng + ?Sized>(&mut self, rng: &mut R) -> u32 {
        Self::next_batch(self, rng)
    }
}

/// What a simulation starts an arrival process from: [`Arrivals`], or a process itself, of which
/// each run gets a clone.
pub trait ArrivalLaw: Clone {
    /// The process.
    type Process: Arrive;

    /// The process before its first slot.
    ///
    /// # Errors
    ///
    /// If it is to replay a trace that cannot be read.
    fn start(&self) -> Result<Self::Process, TraceError>;

    /// Whether both draw the same batches from the same stream, so that drawing once serves both.
    /// Saying no is always right.
    fn is_same(&self, other: &Self) -> bool {
        let _ = other;
        false
    }
}

impl ArrivalLaw for Arrivals {
    type Process = BatchProcess;

    fn start(&self) -> Result<BatchProcess, TraceError> {
        Self::start(self)
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

impl<A: Arrive + Clone> ArrivalLaw for A {
    type Process = A;

    fn start(&self) -> Result<A, TraceError> {
        Ok(self.clone())
    }
}
