//! What a placement sees of the queues.

/// The lengths of the queues of n processors, which are numbered from 0.
pub trait Lengths {
    /// n.
    fn processors(&self) -> usize;

    /// The length of the queue of `processor`.
    fn length(&self, processor: usize) -> u64;
}

impl Lengths for [u64] {
    fn processors(&self) -> usize {
        self.len()
    }

    fn length(&self, processor: usize) -> u64 {
        self[processor]
    }
}
