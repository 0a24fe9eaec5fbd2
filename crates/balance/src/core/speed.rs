//! How fast a server is, learned from its answers. The crate page has the reasons.

use super::concurrency::{CANDIDATES, Concurrency, KINDS};
use crate::Samples;

/// About this many samples count; each new one lowers the weight of the earlier ones by 1/`MEMORY`.
const MEMORY: f64 = 32.0;
/// The same for the typical time: one sample for each server, but at least this many.
const TYPICAL_MEMORY: usize = 128;
/// Each server is credited with this many samples of `OPTIMISM` times the typical time. So, of two
/// servers that may be equally fast, the one with fewer samples is tried.
const PRIOR: f64 = 1.0;
const OPTIMISM: f64 = 0.5;
/// The samples of a server that answers nothing lose half of their weight in this many seconds, or
/// in the time of `HALF_LIFE_SERVICES` requests if that is longer.
const HALF_LIFE: f64 = 30.0;
const HALF_LIFE_SERVICES: f64 = 20.0;

/// The nanoseconds after which samples are weighed again.
const AGE_AFTER: u64 = 1_000_000_000;

/// The typical service time in seconds before there is a sample.
pub(crate) const UNKNOWN: f64 = 1.0;

/// Bounds on speeds, in requests per second: values beyond them are not measurements.
pub(crate) const SLOWEST: f64 = 1e-12;
pub(crate) const FASTEST: f64 = 1e12;

/// A weighted mean of service times in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    #[inline]
    fn add(&mut self, sample: f64, memory: f64) {
        self.fade(1.0 - 1.0 / memory);
        self.sum += sample;
        self.weight += 1.0;
    }

    #[inline]
    fn fade(&mut self, factor: f64) {
        self.sum *= factor;
        self.weight *= factor;
    }
}

/// What has been learned about one server.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)] // see `Slot`
pub(crate) struct Learned {
    /// From all other answers: for each candidate of [`CANDIDATES`], the busy time of places.
    ///
    /// [`CANDIDATES`]: super::concurrency::CANDIDATES
    places: [f64; KINDS],
    /// How many requests it serves at a time.
    pub(crate) concurrency: Concurrency,
    weight: f64,
    /// From requests that found the server idle, by its word: their latency is the service time.
    alone: Mean,
    /// The share of answers that left none of our requests there and came without a token: the
    /// server has requests of other dispatchers.
    shared: f64,
    /// When the samples were last weighed, in nanoseconds.
    weighed: u64,
}

/// The typical service time: the mean over all servers, of a server of weight 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Typical(Mean);

impl Typical {
    #[inline]
    pub(crate) fn learn(&mut self, sample: f64, weight: f64, servers: usize) {
        let memory = servers.max(TYPICAL_MEMORY) as f64;
        self.0.add(sample * weight, memory);
    }

    /// In seconds. Before the first sample it means nothing, but is the same for all servers.
    #[inline]
    pub(crate) fn service(&self) -> f64 {
        if self.0.weight > 0.0 {
            self.0.sum / self.0.weight
        } else {
            UNKNOWN
        }
    }
}

impl Learned {
    /// A request that was sent on a token took `latency` seconds.
    #[inline]
    pub(crate) fn learn_alone(&mut self, latency: f64, now: u64) {
        self.age(now);
        self.alone.add(latency, MEMORY);
    }

    /// Since the answer before, places were busy for these times.
    #[inline]
    pub(crate) fn learn_places(&mut self, busy: [f64; KINDS], now: u64) {
        self.age(now);
        let fade = 1.0 - 1.0 / MEMORY;
        self.weight = self.weight * fade + 1.0;
        for (sum, busy) in self.places.iter_mut().zip(busy) {
            *sum = *sum * fade + busy;
        }
    }

    /// An answer of a believed server left none of our requests there, and the server idle or not.
    pub(crate) fn emptied(&mut self, idle: bool) {
        let busy = if idle { 0.0 } else { 1.0 };
        self.shared += (busy - self.shared) / MEMORY;
    }

    /// How much a sample counts that may contain other dispatchers' requests: all if there are none
    /// of them, and hardly anything if the server often has some.
    pub(crate) fn own_share(&self) -> f64 {
        (1.0 - self.shared).powi(4)
    }

    /// Lets the samples fade, so that a server that has been slow is tried again. Returns whether
    /// enough time has passed to make a difference.
    #[inline]
    pub(crate) fn age(&mut self, now: u64) -> bool {
        let silence = now.saturating_sub(self.weighed);
        if silence < AGE_AFTER {
            return false;
        }
        self.weigh(silence, now)
    }

    /// Samples are not weighed again before this moment.
    #[inline]
    pub(crate) fn weighs_next(&self) -> u64 {
        self.weighed.saturating_add(AGE_AFTER)
    }

    fn weigh(&mut self, silence: u64, now: u64) -> bool {
        self.weighed = now;
        let weight = self.alone.weight + self.weight;
        if weight == 0.0 {
            return false;
        }
        let service = (self.alone.sum + self.places[self.concurrency.chosen()]) / weight;
        let half_life = HALF_LIFE.max(HALF_LIFE_SERVICES * service);
        let factor = (-(silence as f64) * 1e-9 / half_life).exp2();
        self.alone.fade(factor);
        self.weight *= factor;
        self.places.iter_mut().for_each(|sum| *sum *= factor);
        true
    }

    /// One over the time that a request takes by itself, in requests per second. A believed server
    /// sends tokens because there are other dispatchers. Of such a server, samples that may contain
    /// their requests count less, the more of them there are and the more samples on a token.
    #[inline]
    pub(crate) fn speed(&self, typical: f64, believed: bool) -> f64 {
        let share = if believed {
            (1.0 - self.alone.weight).max(self.own_share())
        } else {
            1.0
        };
        let places = self.places[self.concurrency.chosen()];
        let sum = PRIOR * OPTIMISM * typical + self.alone.sum + share * places;
        let weight = PRIOR + self.alone.weight + share * self.weight;
        (weight / sum).clamp(SLOWEST, FASTEST)
    }

    /// As another dispatcher learned it, weighed now.
    pub(crate) fn of(samples: Samples, now: u64) -> Self {
        Self {
            alone: Mean {
                sum: samples.alone_seconds,
                weight: samples.alone_weight,
            },
            // What the places were busy for is known for the chosen candidate alone.
            places: [samples.others_seconds; KINDS],
            weight: samples.others_weight,
            concurrency: Concurrency::remembered(samples.concurrency),
            weighed: now,
            ..Self::default()
        }
    }

    /// The samples, faded to `now`, if there are any.
    pub(crate) fn faded(&mut self, now: u64) -> Option<Samples> {
        self.age(now);
        self.is_known().then_some(Samples {
            alone_seconds: self.alone.sum,
            alone_weight: self.alone.weight,
            others_seconds: self.places[self.concurrency.chosen()],
            others_weight: self.weight,
            concurrency: CANDIDATES[self.concurrency.chosen()],
        })
    }

    /// Whether there is a sample.
    pub(crate) fn is_known(&self) -> bool {
        self.alone.weight + self.weight > 0.0
    }
}
