//! What a run comes to.

/// The totals of one execution.
///
/// In every step every processor pays a dollar into one of the buckets of BL99 section 6, so that
/// `work + steal + wait + idle` is `processors · time`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of steps (ABP01's rounds).
    pub time: u64,
    /// The WORK bucket: instructions executed.
    pub work: u64,
    /// The STEAL bucket: steal attempts begun.
    pub steal: u64,
    /// The WAIT bucket: steps spent on a request that is not served yet.
    pub wait: u64,
    /// Steps without work under schedulers that do not steal.
    pub idle: u64,
    /// Steal attempts that brought a thread.
    pub steals: u64,
    /// The most space in use at once: frames of living threads.
    pub peak_space: u64,
    /// What processors sent one another: the frames of stolen threads, the frames of stalled
    /// threads that go to the processor that enables them, and one unit for every join edge
    /// between threads on different processors. Not counted under schedulers with a pool.
    pub communication: u64,
}

impl Outcome {
    /// Dollars in all buckets together.
    pub fn dollars(&self) -> u64 {
        self.work + self.steal + self.wait + self.idle
    }
}

/// The space that living threads use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    now: u64,
    pub(super) peak: u64,
}

impl Space {
    /// Of a root with this frame.
    pub(super) fn of(root: u64) -> Self {
        Self {
            now: root,
            peak: root,
        }
    }

    #[inline]
    pub(super) fn born(&mut self, frame: u64) {
        self.now += frame;
        self.peak = self.peak.max(self.now);
    }

    #[inline]
    pub(super) fn died(&mut self, frame: u64) {
        self.now -= frame;
    }
}
