//! How long a program takes.

use std::time::Duration;

use filch::Pool;

use crate::programs::Program;

/// How often a program is measured.
const RUNS: usize = 5;

/// The median of several runs, each on a pool that has run the program before.
pub(super) fn median(program: &Program, threads: usize) -> Duration {
    let pool = Pool::new(threads).expect("the system gives us threads");
    program.time_on(&pool);
    let mut times: Vec<Duration> = (0..RUNS).map(|_| program.time_on(&pool)).collect();
    times.sort_unstable();
    times[RUNS / 2]
}
