//! The programs.

use std::hint::black_box;
#[cfg(feature = "record")]
use std::time::{Duration, Instant};

use filch::join;

/// As many forks as anything has: each closure adds two numbers.
pub fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

/// A balanced tree, whose leaves compute for that many rounds.
pub fn tree(depth: u32, rounds: u64) -> u64 {
    if depth == 0 {
        return compute(rounds);
    }
    let (a, b) = join(|| tree(depth - 1, rounds), || tree(depth - 1, rounds));
    a ^ b
}

/// Serial work, in rounds of a nanosecond or so.
pub fn compute(rounds: u64) -> u64 {
    let round = |x: u64, _| black_box(x.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (x >> 29));
    (0..rounds).fold(rounds, round)
}

/// How many rounds take that long on this machine: by the fastest of some trials.
#[cfg(feature = "record")]
pub fn rounds_in(time: Duration) -> u64 {
    const ROUNDS: u64 = 2_000_000;
    let trial = |_| {
        let began = Instant::now();
        black_box(compute(ROUNDS));
        began.elapsed()
    };
    let fastest = (0..10).map(trial).min().unwrap_or_default();
    (time.as_nanos() as f64 * ROUNDS as f64 / fastest.as_nanos() as f64) as u64
}
