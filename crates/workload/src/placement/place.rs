//! Placements as a trait, for one of the caller's own.

use rand::Rng;

use super::Lengths;

/// Puts n generators on n processors, step after step.
///
/// BFG03's process depends only on how many generators each processor hosts, |h⁻¹(i)| in its
/// Figure 1, so an implementation writes these numbers and need not say which generator sits where.
///
/// A placement of one's own needs one method. This one keeps all generators on a processor for a
/// hundred steps and then jumps to another:
///
/// ```
/// use filch_random::{Purpose, Seed};
/// use filch_workload::Place;
/// use rand::{Rng, RngExt};
///
/// #[derive(Default)]
/// struct Bursts {
///     at: usize,
/// }
///
/// impl Place for Bursts {
///     fn place<R: Rng + ?Sized>(&mut self, step: u64, rng: &mut R, hosted: &mut [u32]) {
///         if step % 100 == 0 {
///             self.at = rng.random_range(0..hosted.len());
///         }
///         hosted.fill(0);
///         hosted[self.at] = hosted.len() as u32;
///     }
/// }
///
/// let mut rng = Seed::default().stream(Purpose::named("places"), 0, 0);
/// let mut hosted = [0; 16];
/// Bursts::default().place(0, &mut rng, &mut hosted);
/// assert_eq!(hosted.iter().sum::<u32>(), 16);
/// ```
pub trait Place {
    /// Writes how many generators each processor hosts in `step`, counted from 0.
    ///
    /// `hosted` has one element for each of the n processors, with any contents. Afterwards its
    /// elements must add up to n. The method is called for each step in order; for a fixed
    /// placement perhaps for the first step alone.
    fn place<R: Rng + ?Sized>(&mut self, step: u64, rng: &mut R, hosted: &mut [u32]);

    /// The same for an adversary, who sees the queues as they are before the step (BFG01, section
    /// 3).
    ///
    /// By default the queues are not looked at.
    fn place_seeing<R: Rng + ?Sized>(
        &mut self,
        step: u64,
        queues: &(impl Lengths + ?Sized),
        rng: &mut R,
        hosted: &mut [u32],
    ) {
        let _ = queues;
        self.place(step, rng, hosted);
    }

    /// Whether the generators stay where they are, so that placing them once is enough.
    ///
    /// `false`, the default, is always correct.
    fn is_fixed(&self) -> bool {
        false
    }
}
