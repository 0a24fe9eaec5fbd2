//! What a run comes to.

/// The totals of one execution.
///
/// In every step every processor pays a dollar into one of the buckets of BL99 section 6, so that
/// `work + steal + wait + idle` is `processors · time`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineOutcome {
    /// The number of steps (ABP01's rounds).
    pub time: u64,
    /// The WORK bucket: instructions executed.
    pub work: u64,
    /// The STEAL bucket: steal attempts begun.
    pub steal: u64,
    /// The WAIT bucket: steps spent on a request that is not served yet, and under the fork-join
    /// schedulers on waiting awake for a stolen child.
    pub wait: u64,
    /// Steps without work under schedulers that do not steal, and of workers that sleep or are
    /// being woken under the fork-join ones.
    pub idle: u64,
    /// Steal attempts that brought a thread.
    pub steals: u64,
    /// The most space in use at once: frames of living threads. Under the fork-join schedulers only
    /// threads that have begun have a frame.
    pub peak_space: u64,
    /// What processors sent one another: the frame of every thread that is executed, shared or
    /// stolen by another processor than the one that has its frame, the frames of stalled threads
    /// that work stealing moves to the processor that enables them, and one unit for every join
    /// edge between threads on different processors. Under the fork-join schedulers a stolen child
    /// costs its frame, and one unit when it ends.
    pub communication: u64,
    /// What became of stacks, under the fork-join schedulers.
    pub stacks: Option<Stacks>,
}

/// What a run of a [fork-join machine](super::ForkJoin) did to stacks, workers and seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// The most space on one stack.
    pub deepest: u64,
    /// How many workers there were in the end; none ever ends.
    pub workers: u64,
    /// The most seats at once.
    pub seats: u64,
    /// How often a waiting worker handed its seat to a spare one.
    pub hand_overs: u64,
    /// The steps of all seats in which a worker waited with nothing below while a task was ready
    /// elsewhere.
    pub stranded: u64,
    /// The longest such time of one seat.
    pub longest_stranded: u64,
    /// The steps of all workers in which one was ready and had no seat.
    pub seatless: u64,
}

impl MachineOutcome {
    /// Dollars in all buckets together.
    pub fn dollars(&self) -> u64 {
        self.work + self.steal + self.wait + self.idle
    }
}

/// The space that living threads use.
#[derive(Clone, Copy, Debug)]
pub(super) struct LivingSpace {
    now: u64,
    pub(super) peak: u64,
}

impl LivingSpace {
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
