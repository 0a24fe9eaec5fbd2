//! How fast a server is, learned from its answers. The crate page tells the reasoning.

/// So many of the latest samples count, the older the less.
const MEMORY: f64 = 32.0;
/// The same for what is typical of all servers.
const TYPICAL_MEMORY: f64 = 1024.0;
/// What is typical counts as so many samples of each server.
const PRIOR: f64 = 1.0;
/// A silent server's samples lose half of their weight in so many seconds, or in the time of
/// `HALF_LIFE_SERVICES` requests if these take longer.
const HALF_LIFE: f64 = 30.0;
const HALF_LIFE_SERVICES: f64 = 20.0;

/// Speeds beyond these, in jobs a second, are no measurements.
pub(crate) const SLOWEST: f64 = 1e-12;
pub(crate) const FASTEST: f64 = 1e12;

/// A weighted mean of service times in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, sample: f64, memory: f64) {
        self.fade(1.0 - 1.0 / memory);
        self.sum += sample;
        self.weight += 1.0;
    }

    fn fade(&mut self, factor: f64) {
        self.sum *= factor;
        self.weight *= factor;
    }
}

/// What has been learned of one server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Learned {
    /// From requests that had the server to themselves.
    alone: Mean,
    /// From requests that may have waited for those of other dispatchers.
    others: Mean,
    /// When the samples were last weighed, in nanoseconds.
    weighed: u64,
}

/// What is typical of all servers: the service time of a server of weight 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Typical(Mean);

impl Typical {
    pub(crate) fn learn(&mut self, sample: f64, weight: f64) {
        self.0.add(sample * weight, TYPICAL_MEMORY);
    }

    /// Seconds; before the first sample it is only the same for all.
    pub(crate) fn service(&self) -> f64 {
        if self.0.weight > 0.0 {
            self.0.sum / self.0.weight
        } else {
            1.0
        }
    }
}

impl Learned {
    /// A request took `sample` seconds of the server's time.
    pub(crate) fn learn(&mut self, sample: f64, alone: bool, now: u64) {
        self.age(now);
        let mean = if alone {
            &mut self.alone
        } else {
            &mut self.others
        };
        mean.add(sample, MEMORY);
    }

    /// Samples count less with time, so that a server that has been slow is tried again.
    pub(crate) fn age(&mut self, now: u64) {
        let silence = now.saturating_sub(self.weighed) as f64 * 1e-9;
        self.weighed = self.weighed.max(now);
        let weight = self.alone.weight + self.others.weight;
        if weight == 0.0 {
            return;
        }
        let service = (self.alone.sum + self.others.sum) / weight;
        let half_life = HALF_LIFE.max(HALF_LIFE_SERVICES * service);
        let factor = (-silence / half_life).exp2();
        self.alone.fade(factor);
        self.others.fade(factor);
    }

    /// How long ago the samples were last weighed, in nanoseconds.
    pub(crate) fn silent_for(&self, now: u64) -> u64 {
        now.saturating_sub(self.weighed)
    }

    /// Jobs a second. `believed` servers send tokens: there are other dispatchers then, and what
    /// may contain their jobs counts only as long as there is nothing better.
    pub(crate) fn speed(&self, typical: f64, believed: bool) -> f64 {
        let mut sum = PRIOR * typical + self.alone.sum;
        let mut weight = PRIOR + self.alone.weight;
        if !believed || self.alone.weight < 1.0 {
            sum += self.others.sum;
            weight += self.others.weight;
        }
        (weight / sum).clamp(SLOWEST, FASTEST)
    }

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        self.alone.weight + self.others.weight > 0.0
    }
}
