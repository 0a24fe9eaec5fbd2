//! What forks, steals and wake-ups take on this machine.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration as Wall, Instant};

use filch::{Pool, join};
use filch_profile::Duration;
use filch_sim::machine::replay::Prices;

/// The runtime's workers search and wait so long before they sleep, if they are not told otherwise.
pub const PATIENCE: Duration = Duration::from_nanos(20_000);

/// Forks in a row of which one measurement consists, and how many measurements there are.
const FORKS: u32 = 2000;
const RUNS: usize = 101;
/// How many steals and how many wake-ups are measured.
const STEALS: usize = 1000;
const WAKES: usize = 200;
const STARTS: usize = 50;
/// How long a worker rests before it is woken: longer than it searches.
const REST: Wall = Wall::from_micros(300);
/// A job that no thief has taken by then counts as not taken.
const LONG: Wall = Wall::from_millis(2);

/// The costs of this machine, as its runtime shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// A join of two closures that do nothing, on one worker.
    pub fork: Measured,
    /// From a fork to the first instruction of the job on another worker, which is awake.
    pub steal: Measured,
    /// The same, if the other worker sleeps.
    pub wake: Measured,
    /// Starting a thread.
    pub start: Measured,
}

/// The median of many measurements, and the quartiles around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The median.
    pub median: Duration,
    /// The lower and the upper quartile.
    pub quartiles: [Duration; 2],
}

impl Costs {
    /// Measures them now, in less than a second. On a busy machine they come out higher.
    ///
    /// # Panics
    ///
    /// If the system gives no two threads.
    pub fn measure() -> Self {
        let fork = Pool::new(1).expect("a thread").install(|| {
            Measured::of((0..RUNS).map(|_| {
                let begin = Instant::now();
                for _ in 0..FORKS {
                    join(|| (), || ());
                }
                picos(begin.elapsed()) / u64::from(FORKS)
            }))
        });
        let pool = Pool::new(2).expect("two threads");
        let steals = |count: usize, rest: Wall| {
            pool.install(|| {
                let taken = (0..count).filter_map(|_| {
                    if rest > Wall::ZERO {
                        thread::sleep(rest);
                    }
                    stolen()
                });
                Measured::of(taken)
            })
        };
        // The first steals find threads that are not warm.
        steals(STEALS / 10, Wall::ZERO);
        Self {
            fork,
            steal: steals(STEALS, Wall::ZERO),
            wake: steals(WAKES, REST),
            start: Measured::of((0..STARTS).map(|_| {
                let begin = Instant::now();
                let begun = thread::spawn(Instant::now).join();
                picos(begun.expect("it does not panic") - begin)
            })),
        }
    }

    /// The prices of a replay.
    pub fn prices(&self) -> Prices {
        Prices {
            fork: self.fork.median,
            steal: self.steal.median,
            wake: self.wake.median.max(self.steal.median),
            patience: PATIENCE,
            start: self.start.median,
        }
    }
}

impl Measured {
    /// Of times in picoseconds; nothing if there are none.
    fn of(times: impl Iterator<Item = u64>) -> Self {
        let mut times: Vec<u64> = times.collect();
        times.sort_unstable();
        let at = |quarter: usize| {
            let time = times.get(times.len() * quarter / 4);
            Duration::from_picos(time.copied().unwrap_or(0))
        };
        Self {
            median: at(2),
            quartiles: [at(1), at(3)],
        }
    }
}

/// How long it takes until a thief has begun a job; none if no thief has come.
fn stolen() -> Option<u64> {
    let taken = AtomicBool::new(false);
    let begin = Instant::now();
    let (mut rounds, owner) = (0u32, thread::current().id());
    let wait = || {
        // Ordering: Relaxed, since the flag guards no other memory.
        while !taken.load(Ordering::Relaxed) {
            spin_loop();
            rounds += 1;
            if rounds.is_multiple_of(64) && begin.elapsed() > LONG {
                break;
            }
        }
    };
    let take = || {
        let begun = Instant::now();
        taken.store(true, Ordering::Relaxed);
        (thread::current().id() != owner).then(|| picos(begun - begin))
    };
    join(wait, take).1
}

fn picos(time: Wall) -> u64 {
    u64::try_from(time.as_nanos().saturating_mul(1000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_lies_between_its_quartiles() {
        let measured = Measured::of([5, 1, 4, 2, 3].into_iter());
        assert_eq!(measured.median, Duration::from_picos(3));
        assert_eq!(measured.quartiles, [2, 4].map(Duration::from_picos));
        let nothing = Measured::of(std::iter::empty());
        assert_eq!(nothing.median, Duration::ZERO);
    }

    #[test]
    fn forks_and_steals_are_measured() {
        let costs = Costs::measure();
        let prices = costs.prices();
        assert!(prices.fork > Duration::ZERO);
        assert!(prices.wake >= prices.steal);
    }
}
