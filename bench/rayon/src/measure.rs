//! One program, one core.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::rows::{self, ROWS, RayonRow};

/// How long one row is measured.
const TIME: Duration = Duration::from_millis(60);

/// How long one sample lasts at least, unless the pool is entered anew for each run.
const SAMPLE: Duration = Duration::from_micros(50);

/// Prints the median time of a run of `row` in nanoseconds.
pub(crate) fn print(threads: &str, row: &str) -> ExitCode {
    let found = ROWS.iter().find(|known| known.name == row);
    let (Ok(threads), Some(row)) = (threads.parse(), found) else {
        eprintln!("{threads:?} and {row:?} are no number of threads and a row");
        return ExitCode::from(2);
    };
    println!("{}", measure(threads, row));
    ExitCode::SUCCESS
}

fn measure(threads: usize, row: &RayonRow) -> u128 {
    let pool = rows::pool(threads);
    let mut samples = match row.pause {
        None => pool.install(|| {
            let runs = runs_in(SAMPLE, row.run);
            let repeated = || (0..runs).for_each(|_| (row.run)());
            let samples = sample(repeated, || ());
            samples.into_iter().map(|time| time / runs).collect()
        }),
        Some(pause) => sample(
            || pool.install(row.run),
            || {
                if !pause.is_zero() {
                    std::thread::sleep(pause);
                }
            },
        ),
    };
    samples.sort_unstable();
    samples[samples.len() / 2].as_nanos()
}

/// How many runs last about so long, at least one: the clock is not to be a part of short ones.
fn runs_in(time: Duration, run: fn()) -> u32 {
    let began = Instant::now();
    let mut runs = 0;
    while began.elapsed() < time {
        run();
        runs += 1;
    }
    runs
}

/// Runs for a fifth of the time without looking, so that everything is warm.
fn sample(run: impl Fn(), between: impl Fn()) -> Vec<Duration> {
    let began = Instant::now();
    let mut samples = Vec::new();
    while began.elapsed() < TIME {
        between();
        let start = Instant::now();
        run();
        let time = start.elapsed();
        if began.elapsed() > TIME / 5 {
            samples.push(time);
        }
    }
    samples
}
