//! The programs.

use std::hint::black_box;
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;

/// A program, and where it starts.
pub(crate) struct RayonRow {
    pub(crate) name: &'static str,
    /// Whether it consists of tasks so small that what a fork costs decides.
    pub(crate) small: bool,
    /// Whether each run enters the pool from outside, after a pause.
    pub(crate) pause: Option<Duration>,
    /// Runs it once.
    pub(crate) run: fn(),
}

const fn inside(name: &'static str, small: bool, run: fn()) -> RayonRow {
    RayonRow {
        name,
        small,
        pause: None,
        run,
    }
}

/// All of them.
pub(crate) const ROWS: &[RayonRow] = &[
    inside("sum of 1,000,000", false, || sum(1_000_000)),
    inside("sort of 100,000", false, sort),
    inside("collect of 500,000", false, collect),
    inside("nested 100 × 100", true, nested),
    inside("par_bridge of 2,000", false, bridge),
    inside("par_bridge of 200, items of 1 µs", false, long_bridge),
    inside("loop of 50", true, || small_loop(50)),
    inside("loop of 200", true, || small_loop(200)),
    inside("loop of 500", true, || small_loop(500)),
    inside("loop of 2,000", true, || small_loop(2_000)),
    inside("loop of 500, longer items", false, || longer_loop(500)),
    inside("plain loop of 50", false, || plain_loop(50)),
    inside("plain loop of 500", false, || plain_loop(500)),
    inside("plain loop of 2,000", false, || plain_loop(2_000)),
    inside("slice of 50", true, || small_slice(50)),
    inside("slice of 500", true, || small_slice(500)),
    inside("fib(20) by join", true, || {
        black_box(fib(black_box(20)));
    }),
    inside("scope of 500 spawns", true, spawns),
    RayonRow {
        name: "tick: loop of 500 each ms",
        small: false,
        pause: Some(Duration::from_millis(1)),
        run: || small_loop(500),
    },
    RayonRow {
        name: "entered: loop of 200",
        small: false,
        pause: Some(Duration::ZERO),
        run: || small_loop(200),
    },
];

pub(crate) fn pool(threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("the system has threads")
}

fn sum(items: u64) {
    let numbers = (0..black_box(items)).into_par_iter().map(|n| n ^ (n >> 7));
    black_box(numbers.sum::<u64>());
}

fn sort() {
    // The same numbers each time, from a multiplicative sequence.
    let mut numbers: Vec<u64> = (1..=100_000_u64)
        .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    numbers.par_sort_unstable();
    black_box(numbers);
}

fn collect() {
    let squares: Vec<u64> = (0..500_000_u64)
        .into_par_iter()
        .map(|n| n.wrapping_mul(n))
        .collect();
    black_box(squares);
}

fn nested() {
    (0..100_u64).into_par_iter().for_each(|row| {
        let inner = (0..100_u64).into_par_iter().map(|column| row ^ column);
        black_box(inner.sum::<u64>());
    });
}

fn bridge() {
    let sum: u64 = (0..2_000_u64).par_bridge().map(longer_item).sum();
    black_box(sum);
}

fn long_bridge() {
    let sum: u64 = (0..200_u64).par_bridge().map(|n| steps(n, 600)).sum();
    black_box(sum);
}

/// A task for each item.
fn small_loop(items: u32) {
    (0..items).into_par_iter().with_max_len(1).for_each(|n| {
        black_box(item(n.into()));
    });
}

/// The same, where a fork is less of the whole.
fn longer_loop(items: u32) {
    (0..items).into_par_iter().with_max_len(1).for_each(|n| {
        black_box(longer_item(n.into()));
    });
}

/// As most people write it: rayon makes some tasks for each thread, and more after a steal.
fn plain_loop(items: u32) {
    (0..items).into_par_iter().for_each(|n| {
        black_box(longer_item(n.into()));
    });
}

/// The same over what lies in memory, where rayon has less to do for a split than for a range.
fn small_slice(items: usize) {
    static NUMBERS: [u64; 500] = [1; 500];
    let numbers = black_box(&NUMBERS[..items]);
    numbers.par_iter().with_max_len(1).for_each(|&n| {
        black_box(item(n));
    });
}

/// Some five nanoseconds from beginning to end.
fn item(n: u64) -> u64 {
    steps(n, 3)
}

/// Some twenty nanoseconds from beginning to end. In a serial loop a processor overlaps several and
/// takes less for each; a fork prevents that, on every core.
fn longer_item(n: u64) -> u64 {
    steps(n, 12)
}

/// Each step needs the one before it, and nothing but registers.
#[inline(always)]
fn steps(n: u64, steps: u32) -> u64 {
    (0..steps).fold(black_box(n), |n, _| {
        (n ^ (n >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn spawns() {
    rayon::scope(|s| {
        for n in 0..500 {
            s.spawn(move |_| {
                black_box(item(n));
            });
        }
    });
}
