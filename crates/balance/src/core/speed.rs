//! How fast a server is, learned from its answers. The crate page tells the reasoning.

/// So many of the latest samples count, the older the less.
const MEMORY: f64 = 32.0;
/// The same for what is typical of all servers: one for each of them, and so many at least.
const TYPICAL_MEMORY: usize = 128;
/// Each server is credited with so many samples of the typical time multiplied by `OPTIMISM`: of two
/// servers that may be equally fast, the one of which less is known is tried.
const PRIOR: f64 = 1.0;
const OPTIMISM: f64 = 0.5;
/// A silent server's samples lose half of their weight in so many seconds, or in the time of
/// `HALF_LIFE_SERVICES` requests if these take longer.
const HALF_LIFE: f64 = 30.0;
const HALF_LIFE_SERVICES: f64 = 20.0;

/// Samples are weighed anew at most so often, in nanoseconds.
const AGE_AFTER: u64 = 1_000_000_000;

/// The typical service time in seconds before there is any.
pub(crate) const UNKNOWN: f64 = 1.0;

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
    pub(crate) fn learn(&mut self, sample: f64, weight: f64, servers: usize) {
        let memory = servers.max(TYPICAL_MEMORY) as f64;
        self.0.add(sample * weight, memory);
    }

    /// Seconds; before the first sample it is only the same for all.
    pub(crate) fn service(&self) -> f64 {
        if self.0.weight > 0.0 {
            self.0.sum / self.0.weight
        } else {
            UNKNOWN
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

    /// Samples count less with time, so that a server that has been slow is tried again. Says whether
    /// enough has passed to make a difference.
    pub(crate) fn age(&mut self, now: u64) -> bool {
        let silence = now.saturating_sub(self.weighed);
        if silence < AGE_AFTER {
            return false;
        }
        self.weighed = now;
        let weight = self.alone.weight + self.others.weight;
        if weight == 0.0 {
            return false;
        }
        let service = (self.alone.sum + self.others.sum) / weight;
        let half_life = HALF_LIFE.max(HALF_LIFE_SERVICES * service);
        let factor = (-(silence as f64) * 1e-9 / half_life).exp2();
        self.alone.fade(factor);
        self.others.fade(factor);
        true
    }

    /// Jobs a second. `believed` servers send tokens: there are other dispatchers then, and what
    /// may contain their jobs counts the less the more of something better there is.
    pub(crate) fn speed(&self, typical: f64, believed: bool) -> f64 {
        let share = if believed {
            (1.0 - self.alone.weight).max(0.0)
        } else {
            1.0
        };
        let sum = PRIOR * OPTIMISM * typical + self.alone.sum + share * self.others.sum;
        let weight = PRIOR + self.alone.weight + share * self.others.weight;
        (weight / sum).clamp(SLOWEST, FASTEST)
    }

    /// Whether anything is known.
    pub(crate) fn is_known(&self) -> bool {
        self.alone.weight + self.others.weight > 0.0
    }
}
