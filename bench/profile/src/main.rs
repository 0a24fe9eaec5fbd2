//! What recording a profile costs. (`bench/foresight` shows how exact it is.)
//!
//! Built with the feature `record` it is given the same program built without, and runs both in
//! turn. `bench/profile/run` builds the two.

mod programs;

use std::hint::black_box;
use std::time::Duration;
#[cfg(not(feature = "record"))]
use std::time::Instant;

use filch::Pool;

/// How often a program is run in a turn. The fastest run counts.
const RUNS: usize = 7;
/// How many turns each of the two builds has.
#[cfg(feature = "record")]
const TURNS: usize = 9;

/// The programs of the table, by their numbers.
#[cfg(feature = "record")]
const NAMES: [&str; 4] = [
    "fib(27)",
    "fib(32)",
    "2^14 leaves of 1 µs",
    "2^10 leaves of 10 µs",
];

fn run(program: usize, microsecond: u64) -> u64 {
    match program {
        0 => programs::fib(27),
        1 => programs::fib(32),
        2 => programs::tree(14, microsecond),
        _ => programs::tree(10, 10 * microsecond),
    }
}

/// The fastest of some runs.
fn fastest(run: impl Fn() -> Duration) -> Duration {
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}

/// Prints the time of a program on the ordinary runtime in nanoseconds, for the other build.
#[cfg(not(feature = "record"))]
fn main() {
    let arguments = std::env::args().skip(1);
    let numbers: Vec<u64> = arguments
        .map(|word| word.parse().expect("a number"))
        .collect();
    let [threads, program, microsecond] = numbers[..] else {
        panic!("the threads, the program and its rounds for a microsecond");
    };
    let pool = Pool::new(threads as usize).expect("threads can be started");
    let time = fastest(|| {
        let began = Instant::now();
        black_box(pool.install(|| run(program as usize, microsecond)));
        began.elapsed()
    });
    println!("{}", time.as_nanos());
}

#[cfg(feature = "record")]
fn main() {
    let plain = std::env::args_os()
        .nth(1)
        .expect("the program without recording");
    let microsecond = programs::rounds_in(Duration::from_micros(1));
    println!(
        "Medians of {TURNS} turns each, and the least and largest ratio of a pair of turns.\n"
    );
    println!("| threads | program | plain (ms) | recorded (ms) | ratio | least | largest |");
    println!("|--:|---|--:|--:|--:|--:|--:|");
    for threads in [1, 2] {
        let pool = Pool::new(threads).expect("threads can be started");
        for (program, name) in NAMES.iter().enumerate() {
            let turns = (0..TURNS).map(|_| {
                let plain = plainly(&plain, [threads as u64, program as u64, microsecond]);
                (plain, recorded(&pool, program, microsecond))
            });
            let (plain, recorded): (Vec<f64>, Vec<f64>) = turns.unzip();
            let mut ratios: Vec<f64> = recorded.iter().zip(&plain).map(|(r, p)| r / p).collect();
            let ratio = median(&mut ratios);
            let (plain, recorded) = (median(&mut plain.clone()), median(&mut recorded.clone()));
            println!(
                "| {threads} | {name} | {plain:.3} | {recorded:.3} | {ratio:.2} | {:.2} | {:.2} |",
                ratios[0],
                ratios[TURNS - 1]
            );
        }
    }
}

/// Milliseconds of a turn of the build without recording.
#[cfg(feature = "record")]
fn plainly(plain: &std::ffi::OsStr, arguments: [u64; 3]) -> f64 {
    let arguments = arguments.map(|number| number.to_string());
    let output = std::process::Command::new(plain).args(arguments).output();
    let output = String::from_utf8(output.expect("it runs").stdout).expect("it prints a number");
    output.trim().parse::<f64>().expect("it prints a number") / 1e6
}

/// Milliseconds of a turn with recording, without the time in which profiles are put together.
#[cfg(feature = "record")]
fn recorded(pool: &Pool, program: usize, microsecond: u64) -> f64 {
    let time = fastest(|| {
        let (_, profile) = pool.profile(|| black_box(run(program, microsecond)));
        let section = &profile.sections[0];
        Duration::from_nanos((section.left - section.entered).picos() / 1000)
    });
    time.as_secs_f64() * 1e3
}

/// The median, after which the values are in order.
#[cfg(feature = "record")]
fn median(of: &mut [f64]) -> f64 {
    of.sort_unstable_by(f64::total_cmp);
    of[of.len() / 2]
}
