//! What a fixed width costs on our core: the same loops, divided adaptively and by widths.
//!
//! ```sh
//! bench/rayon/widths 2     # on two threads, some 15 s
//! ```

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Adaptive first.
const WIDTHS: [usize; 5] = [0, 16, 64, 256, 1024];
const LENGTHS: [usize; 6] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// How long an item takes, in nanoseconds, about.
const ITEMS: [u64; 4] = [1, 10, 100, 1_000];
/// Loops that take longer than this on one thread are left out.
const LONGEST: u64 = 40_000_000;
/// How often the widths are measured in turn. The fastest round counts: in the others the kernel
/// may have put both threads on one processor.
const ROUNDS: usize = 21;
/// How long one sample lasts, at least.
const SAMPLE: Duration = Duration::from_millis(3);

fn main() -> ExitCode {
    let threads = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let Some(threads) = threads.filter(|threads| *threads > 0) else {
        eprintln!("type a number of threads");
        return ExitCode::from(2);
    };
    print(threads);
    ExitCode::SUCCESS
}

/// Prints a table: the time of a loop with each width over that of the adaptive one.
fn print(threads: usize) {
    let pools = WIDTHS.map(|width| pool(threads, width));
    let steps = steps_per_nanosecond();
    print!("| items | of, ns | adaptive, µs |");
    WIDTHS[1..].iter().for_each(|width| print!(" {width} |"));
    println!("\n|--:|--:|--:|{}", "--:|".repeat(WIDTHS.len() - 1));
    for nanos in ITEMS {
        for length in LENGTHS {
            if length as u64 * nanos > LONGEST {
                continue;
            }
            // A nanosecond is the addition alone.
            let steps = if nanos == 1 {
                0
            } else {
                (nanos as f64 * steps) as u64
            };
            let micros = measure(&pools, length, steps);
            print!("| {length} | {nanos} | {:.1} |", micros[0]);
            let ratios = micros[1..].iter().map(|time| time / micros[0]);
            ratios.for_each(|ratio| print!(" {ratio:.2} |"));
            println!();
        }
    }
}

fn pool(threads: usize, width: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    let pool = pool.deterministic(width).build();
    pool.expect("the threads start")
}

/// The time of the loop on each pool in its fastest round, in microseconds.
fn measure(pools: &[ThreadPool; WIDTHS.len()], length: usize, steps: u64) -> [f64; WIDTHS.len()] {
    let numbers: Vec<f64> = (0..length).map(|n| n as f64).collect();
    let item = |n: &f64| n + spin(black_box(steps)) as f64;
    let sum = || _ = black_box(numbers.par_iter().map(item).sum::<f64>());
    let mut fastest = WIDTHS.map(|_| f64::INFINITY);
    for _ in 0..ROUNDS {
        for (pool, fastest) in pools.iter().zip(&mut fastest) {
            *fastest = pool.install(|| sample(sum)).min(*fastest);
        }
    }
    fastest
}

/// Microseconds for one run, after one that is not measured.
fn sample(run: impl Fn()) -> f64 {
    run();
    let (began, mut runs) = (Instant::now(), 0u32);
    while began.elapsed() < SAMPLE {
        run();
        runs += 1;
    }
    began.elapsed().as_nanos() as f64 / f64::from(runs) / 1e3
}

/// A chain of dependent operations, without a look at a clock.
#[inline]
fn spin(steps: u64) -> u64 {
    (0..steps).fold(1, |x: u64, _| {
        let x = x ^ (x << 13);
        let x = x ^ (x >> 7);
        x ^ (x << 17)
    })
}

fn steps_per_nanosecond() -> f64 {
    const STEPS: u64 = 100_000;
    let trial = |_| {
        let began = Instant::now();
        black_box(spin(black_box(STEPS)));
        began.elapsed()
    };
    let fastest = (0..50).map(trial).min().expect("fifty trials");
    STEPS as f64 / fastest.as_nanos() as f64
}
