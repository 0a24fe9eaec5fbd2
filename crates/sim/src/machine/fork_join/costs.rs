//! What it costs to move work and to wake a worker.

/// Prices in steps.
///
/// The defaults take an instruction for 10 µs: a steal attempt takes 10 µs, a wake-up 50 µs, and a
/// worker that does not exist yet is started in another 50 µs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// A steal attempt that succeeds, at least 1; one that fails takes a step.
    pub attempt: u64,
    /// From the wake-up call to the first instruction of a worker that sleeps.
    pub wake: u64,
    /// How long a worker waits awake before it sleeps or hands its seat over.
    pub patience: u64,
    /// Starting a worker that does not exist yet, besides its wake-up.
    pub start: u64,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            attempt: 1,
            wake: 5,
            patience: 5,
            start: 5,
        }
    }
}
