//! What forks, steals and wake-ups take on this machine.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration as Wall, Instant};

use filch::{Pool, join};
use filch_profile::Duration;
use filch_sim::machine::replay::Prices;

/// A worker of the runtime without work searches so long before it sleeps, if it is not told
/// otherwise.
pub const SEARCH: Duration = Duration::from_nanos(20_000);

/// One that waits for a stolen child does so for so long before it hands over.
pub const PATIENCE: Duration = Duration::from_nanos(60_000);

/// One measurement of forks is fib of this number, which forks so often, and there are so many
/// measurements.
const FIB: u32 = 18;
const FORKS: u32 = 4180;
const RUNS: usize = 101;
/// How long a worker forks before its forks are measured. In a process that had threads before its
/// first pool, forks pass ordinary fences for the first milliseconds.
const WARM_UP: Wall = Wall::from_millis(20);
/// How many steals and how many wake-ups are measured.
const STEALS: usize = 1000;
const WAKES: usize = 200;
const STARTS: usize = 50;
/// How long a worker rests before it is woken: longer than it searches.
const REST: Wall = Wall::from_micros(300);
/// How long a job that was stolen works. A thief that steals less than a microsecond of work rests
/// before it steals again, and the next steal would contain that.
const WORKS: Wall = Wall::from_micros(2);
/// A job that no thief has taken by then counts as not taken.
const LONG: Wall = Wall::from_millis(2);
/// So much time each of the four measurements has.
const MOST: Wall = Wall::from_millis(200);

/// The costs of this machine, as its runtime shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// What a join adds to a recursion that does little else, on one worker.
    pub fork: Measured,
    /// From a fork to the first instruction of the job on another worker, which is awake.
    pub steal: Measured,
    /// The same, if the other worker sleeps.
    pub wake: Measured,
    /// Starting a thread.
    pub start: Measured,
}

/// What many measurements come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// One measurement in ten is shorter. This is the price in a replay: on a busy machine the
    /// longer ones say how long threads wait for a processor, or that forks still pass fences.
    pub low: Duration,
    /// The median.
    pub median: Duration,
    /// The lower and the upper quartile.
    pub quartiles: [Duration; 2],
}

impl Costs {
    /// Measures them now, in less than a second.
    ///
    /// # Panics
    ///
    /// If the system gives no two threads.
    pub fn measure() -> Self {
        let fork = Pool::new(1).expect("a thread").install(|| {
            let begin = Instant::now();
            while begin.elapsed() < WARM_UP {
                time_of(fib);
            }
            // In turn, so that both have the same processor.
            let mut serial = Vec::with_capacity(RUNS);
            let forking = Measured::of(RUNS, || {
                serial.push(time_of(serial_fib));
                Some(time_of(fib))
            });
            forking.less(&Measured::of_times(serial)).divided_by(FORKS)
        });
        let pool = Pool::new(2).expect("two threads");
        let steals = |count: usize, rest: Wall| {
            pool.install(|| {
                Measured::of(count, || {
                    if rest > Wall::ZERO {
                        thread::sleep(rest);
                    }
                    stolen()
                })
            })
        };
        // The first steals find threads that are not warm.
        steals(STEALS / 10, Wall::ZERO);
        Self {
            fork,
            steal: steals(STEALS, Wall::ZERO),
            wake: steals(WAKES, REST),
            start: Measured::of(STARTS, || {
                let begin = Instant::now();
                let begun = thread::spawn(Instant::now).join();
                Some(picos(begun.expect("it does not panic") - begin))
            }),
        }
    }

    /// The prices of a replay.
    pub fn prices(&self) -> Prices {
        Prices {
            fork: self.fork.low,
            steal: self.steal.low,
            wake: self.wake.low.max(self.steal.low),
            search: SEARCH,
            patience: PATIENCE,
            start: self.start.low,
        }
    }
}

impl Measured {
    /// Of `count` measurements in picoseconds, or as many as there is time for.
    fn of(count: usize, mut measure: impl FnMut() -> Option<u64>) -> Self {
        let begin = Instant::now();
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            times.extend(measure());
            if begin.elapsed() > MOST {
                break;
            }
        }
        Self::of_times(times)
    }

    /// Nothing if there are none.
    fn of_times(mut times: Vec<u64>) -> Self {
        times.sort_unstable();
        let at = |twentieths: usize| {
            let time = times.get(times.len() * twentieths / 20);
            Duration::from_picos(time.copied().unwrap_or(0))
        };
        Self {
            low: at(2),
            median: at(10),
            quartiles: [at(5), at(15)],
        }
    }

    /// By how much these are longer than others, by rank: a measurement that was disturbed is among
    /// the long ones of both.
    fn less(&self, others: &Self) -> Self {
        let [low, high] = self.quartiles;
        let [others_low, others_high] = others.quartiles;
        // If the others are spread further, the differences of the long ones are the small ones.
        let mut quartiles = [low - others_low, high - others_high];
        quartiles.sort_unstable();
        Self {
            low: self.low - others.low,
            median: self.median - others.median,
            quartiles,
        }
    }

    fn divided_by(&self, count: u32) -> Self {
        let part = |time: Duration| Duration::from_picos(time.picos() / u64::from(count));
        Self {
            low: part(self.low),
            median: part(self.median),
            quartiles: self.quartiles.map(part),
        }
    }

    /// Whether there was no measurement: no thief came in time.
    pub fn is_missing(&self) -> bool {
        self.median == Duration::ZERO
    }

    /// Whether half of the measurements are ten times as long as the short ones, or there are none,
    /// so that the machine is busy with something else.
    pub fn is_disturbed(&self) -> bool {
        self.is_missing() || self.median.picos() > 10 * self.low.picos()
    }
}

/// In picoseconds.
fn time_of(fib: fn(u32) -> u64) -> u64 {
    let begin = Instant::now();
    let _ = black_box(fib(black_box(FIB)));
    picos(begin.elapsed())
}

/// A recursion that forks and does little else. A join in a loop would take less: there the
/// compiler and the processor do several at a time. Overflow is not looked for in any build, since
/// that keeps a compiler from what it does to the serial recursion.
fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n.wrapping_sub(1)), || fib(n.wrapping_sub(2)));
    a.wrapping_add(b)
}

/// The same without forks.
fn serial_fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    serial_fib(n.wrapping_sub(1)).wrapping_add(serial_fib(n.wrapping_sub(2)))
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
        (thread::current().id() != owner).then(|| {
            while begun.elapsed() < WORKS {
                spin_loop();
            }
            picos(begun - begin)
        })
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
        let measured = Measured::of_times((0..20).rev().collect());
        assert_eq!(measured.low, Duration::from_picos(2));
        assert_eq!(measured.median, Duration::from_picos(10));
        assert_eq!(measured.quartiles, [5, 15].map(Duration::from_picos));
        assert!(!measured.is_disturbed());
        assert!(Measured::of_times(vec![1, 1, 20, 20]).is_disturbed());
        let nothing = Measured::of_times(Vec::new());
        assert_eq!(nothing.median, Duration::ZERO);
        assert!(nothing.is_missing() && nothing.is_disturbed());
    }

    #[test]
    fn a_fork_is_what_it_adds_to_a_recursion() {
        let pool = Pool::new(1).unwrap();
        pool.install(|| assert_eq!(fib(FIB), serial_fib(FIB)));
        assert_eq!(pool.metrics().total().forks, u64::from(FORKS));
        let times = |add: u64| Measured::of_times((0..20).map(|time| 10 * time + add).collect());
        let fork = times(30).less(&times(10)).divided_by(4);
        assert_eq!(fork, Measured::of_times(vec![5; 20]));
        let spread = Measured::of_times((0..20).map(|time| 11 * time).collect());
        let [low, high] = times(100).less(&spread).quartiles;
        assert!(low < high, "{low:?} to {high:?}");
    }

    #[test]
    fn forks_and_steals_are_measured() {
        let costs = Costs::measure();
        let prices = costs.prices();
        assert!(prices.fork > Duration::ZERO, "{costs:?}");
        assert!(prices.wake >= prices.steal);
    }
}
