//! How many requests a server serves at a time, learned from how long they take.
//!
//! A request that finds q of our others at a server that serves c at a time, first come, first
//! served, takes g(q) = max(1, (q + 1) / c) service times on average, exactly so if service times
//! are exponential: it begins at once if q < c, and otherwise when q − c + 1 others have left, one
//! every 1/c of a service time. For each candidate c the latencies L are taken for exponential with
//! mean S · g(q). The best S is then the mean of L / g(q), and the log-likelihood of the n samples
//! with that S is −Σ ln g(q) − n ln S, up to a constant. The candidate with the greatest one is
//! chosen. The mean of L is what decides, so the law of service times matters little. Of servers
//! whose requests share one processor, it finds how many are worth sending at once: a few.
//!
//! A server that never has more than one request of ours fits all candidates; then one at a time is
//! assumed. Each doubling has to earn a [`PENALTY`].

use std::f64::consts::{LN_2, LN_10};

use super::logarithm::ln;

/// The numbers of requests at a time that are told apart.
pub(crate) const CANDIDATES: [u32; KINDS] = [1, 2, 4, 8, 16, 32, 64, 128];
pub(crate) const KINDS: usize = 8;

/// About this many samples count: concurrency hardly changes, so many do.
const MEMORY: f64 = 1024.0;
/// What each doubling has to earn in log-likelihood.
const PENALTY: f64 = 0.25;

/// What another candidate has to earn against one that another dispatcher had chosen.
const REMEMBERED: f64 = 8.0;

/// What has been learned of one server's concurrency.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)] // see `Slot`
pub(crate) struct Concurrency {
    /// For each candidate, the sum of L / g(q), and the sum of ln g(q).
    times: [f64; KINDS],
    logs: [f64; KINDS],
    weight: f64,
    /// The candidate that is chosen.
    chosen: u32,
}

impl Concurrency {
    /// As another dispatcher learned it. It is kept until samples of our own clearly say otherwise.
    pub(crate) fn remembered(concurrency: u32) -> Self {
        let chosen = CANDIDATES.iter().rposition(|&it| it <= concurrency);
        let chosen = chosen.unwrap_or_default();
        let mut logs = [REMEMBERED; KINDS];
        logs[chosen] = 0.0;
        Self {
            logs,
            chosen: chosen as u32,
            ..Self::default()
        }
    }

    /// A request that found `ahead` of our others took `latency` seconds. It counts as `weight`
    /// samples.
    #[inline]
    pub(crate) fn learn(&mut self, latency: f64, ahead: u32, weight: f64) {
        let fade = 1.0 - weight / MEMORY;
        self.weight = self.weight * fade + weight;
        let place = f64::from(ahead) + 1.0;
        let alone = weight * latency;
        if ahead == 0 {
            for at in 0..KINDS {
                self.times[at] = self.times[at] * fade + alone;
                self.logs[at] *= fade;
            }
        } else {
            // One division and one logarithm: the candidate is 2 to the power of `at`.
            let (each, log) = (alone / place, ln_after(ahead));
            for (at, candidate) in CANDIDATES.map(f64::from).into_iter().enumerate() {
                let crowded = candidate < place;
                // Less than `alone` if it is crowded, and otherwise not.
                let time = each * candidate;
                let time = if time < alone { time } else { alone };
                let log = if crowded { log - LN_2 * at as f64 } else { 0.0 };
                self.times[at] = self.times[at] * fade + time;
                self.logs[at] = self.logs[at] * fade + weight * log;
            }
        }
        self.chosen = self.best() as u32;
    }

    /// The candidate with the greatest log-likelihood less its penalty. That is where Σ ln g(q) +
    /// n ln(S · n) and the penalty are least together: n ln n is the same for all.
    #[inline]
    fn best(&self) -> usize {
        let (mut best, mut least) = (0, f64::INFINITY);
        // All candidates above the most requests that were ever there have the same times.
        let (mut times, mut log) = (f64::NAN, f64::NAN);
        for at in 0..KINDS {
            if self.times[at] != times {
                times = self.times[at];
                log = self.weight * ln(times.max(f64::MIN_POSITIVE));
            }
            let cost = self.logs[at] + log + PENALTY * at as f64;
            if cost < least {
                (best, least) = (at, cost);
            }
        }
        best
    }

    /// Which of the [`CANDIDATES`] is chosen.
    #[inline]
    pub(crate) fn chosen(&self) -> usize {
        self.chosen as usize
    }

    /// How many requests at a time that is.
    #[inline]
    pub(crate) fn at_once(&self) -> u32 {
        1 << self.chosen
    }
}

/// The logarithms of 1 to 16.
#[rustfmt::skip]
const LOGARITHMS: [f64; 16] = [
    0.0, LN_2, 1.0986122886681098, 1.3862943611198906,
    1.6094379124341003, 1.791759469228055, 1.9459101490553132, 2.0794415416798357,
    2.1972245773362196, LN_10, 2.3978952727983707, 2.4849066497880004,
    2.5649493574615367, 2.6390573296152584, 2.70805020110221, 2.772588722239781,
];

/// The logarithm of the place in the queue of a request that found `ahead` others.
#[inline]
fn ln_after(ahead: u32) -> f64 {
    let known = LOGARITHMS.get(ahead as usize).copied();
    known.unwrap_or_else(|| (f64::from(ahead) + 1.0).ln())
}

/// How long places in service have been busy since the last answer, in seconds: for each candidate
/// c the integral of min(outstanding, c) over time.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)] // see `Slot`
pub(crate) struct BusyPlaces {
    until: u64,
    busy: [f64; KINDS],
}

impl BusyPlaces {
    /// Until now, so many requests were outstanding.
    #[inline]
    pub(crate) fn pass(&mut self, outstanding: u32, now: u64) {
        let seconds = now.saturating_sub(self.until) as f64 * 1e-9;
        self.until = now;
        if outstanding > 0 {
            let outstanding = f64::from(outstanding);
            for (busy, candidate) in self.busy.iter_mut().zip(CANDIDATES.map(f64::from)) {
                *busy += seconds
                    * if outstanding < candidate {
                        outstanding
                    } else {
                        candidate
                    };
            }
        }
    }

    /// The times since the last answer; the next ones begin now.
    #[inline]
    pub(crate) fn take(&mut self) -> [f64; KINDS] {
        std::mem::take(&mut self.busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms() {
        for ahead in 0..100 {
            let ln = (f64::from(ahead) + 1.0).ln();
            assert!((ln_after(ahead) - ln).abs() < 1e-15, "{ahead}");
        }
    }

    #[test]
    fn candidates_are_powers_of_two() {
        for (chosen, candidate) in CANDIDATES.into_iter().enumerate() {
            let concurrency = Concurrency {
                chosen: chosen as u32,
                ..Concurrency::default()
            };
            assert_eq!(concurrency.at_once(), candidate);
        }
    }

    #[test]
    fn what_was_remembered_is_kept_until_samples_say_otherwise() {
        for (remembered, chosen) in [(0, 0), (1, 0), (4, 2), (5, 2), (1_000, 7)] {
            let mut concurrency = Concurrency::remembered(remembered);
            assert_eq!(concurrency.chosen(), chosen);
            // Alone on the server: that fits every candidate.
            (0..20).for_each(|_| concurrency.learn(0.1, 0, 1.0));
            assert_eq!(concurrency.chosen(), chosen);
        }
        let mut concurrency = Concurrency::remembered(64);
        (0..200).for_each(|at| concurrency.learn(0.1 * f64::from(at % 8 + 1), at % 8, 1.0));
        assert_eq!(concurrency.chosen(), 0);
    }
}
