use filch_profile::Duration;

/// What moving work and waking workers takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// A fork whose task no thief takes: pushing it, and taking it back.
    pub fork: Duration,
    /// From the moment at which a worker that is awake could take a task to the first instruction
    /// of the task.
    pub steal: Duration,
    /// The same for a worker that sleeps.
    pub wake: Duration,
    /// How long a worker without frames searches before it sleeps.
    pub search: Duration,
    /// How long a worker whose newest frame waits does so before it sleeps or hands its seat over.
    pub patience: Duration,
    /// Starting a worker that does not exist yet, besides its wake-up.
    pub start: Duration,
}

impl Prices {
    /// Everything is free, and a worker that waits hands its seat over at once.
    pub const NONE: Self = Self {
        fork: Duration::ZERO,
        steal: Duration::ZERO,
        wake: Duration::ZERO,
        search: Duration::ZERO,
        patience: Duration::ZERO,
        start: Duration::ZERO,
    };
}
