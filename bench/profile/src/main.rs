//! What recording a profile costs, and how exact it is.
//!
//! Built with the feature `record` it is given the same program built without, and runs both in
//! turn. `bench/profile/run` builds the two.

mod programs;

use std::hint::black_box;
use std::time::{Duration, Instant};

use filch::Pool;

const ROUNDS: usize = 7;

/// A program of the table, by its number.
const NAMES: [&str; 3] = ["fib(27)", "2^14 leaves of 1 µs", "2^10 leaves of 10 µs"];

fn run(program: usize, microsecond: u64) -> u64 {
    match program {
        0 => programs::fib(27),
        1 => programs::tree(14, microsecond),
        _ => programs::tree(10, 10 * microsecond),
    }
}

/// The fastest of some runs of each program.
fn fastest(pool: &Pool, microsecond: u64, run: impl Fn(&Pool, usize, u64)) -> [Duration; 3] {
    let mut fastest = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        for (program, fastest) in fastest.iter_mut().enumerate() {
            let began = Instant::now();
            run(pool, program, microsecond);
            *fastest = began.elapsed().min(*fastest);
        }
    }
    fastest
}

/// Prints the times of the ordinary runtime in nanoseconds, for [`record`].
#[cfg(not(feature = "record"))]
fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|word| word.parse().expect("a number"));
    let mut next = || arguments.next().expect("threads and rounds");
    let pool = Pool::new(next() as usize).expect("threads can be started");
    let plainly = |pool: &Pool, program, microsecond| {
        black_box(pool.install(|| run(program, microsecond)));
    };
    for time in fastest(&pool, next(), plainly) {
        println!("{}", time.as_nanos());
    }
}

#[cfg(feature = "record")]
fn main() {
    let plain = std::env::args_os()
        .nth(1)
        .expect("the program without recording");
    let microsecond = programs::rounds_in(Duration::from_micros(1));
    println!("| threads | program | plain (ms) | recorded (ms) | ratio |");
    println!("|--:|---|--:|--:|--:|");
    for threads in [1, 2] {
        let arguments = [threads.to_string(), microsecond.to_string()];
        let output = std::process::Command::new(&plain).args(arguments).output();
        let output = String::from_utf8(output.expect("it runs").stdout).expect("it prints numbers");
        let pool = Pool::new(threads).expect("threads can be started");
        let recorded = fastest(&pool, microsecond, |pool, program, microsecond| {
            black_box(pool.profile(|| run(program, microsecond)).0);
        });
        for ((name, plain), recorded) in NAMES.iter().zip(output.lines()).zip(recorded) {
            let plain = plain.parse::<f64>().expect("it prints numbers") / 1e6;
            let recorded = recorded.as_secs_f64() * 1e3;
            let ratio = recorded / plain;
            println!("| {threads} | {name} | {plain:.2} | {recorded:.2} | {ratio:.2} |");
        }
    }
    println!(
        "\n| program | T1, known (ms) | recorded | error | Tinf, known (ms) | recorded | error |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    exact("2^10 leaves of 10 µs", 1024 * 10, 10, || {
        programs::tree(10, 10 * microsecond)
    });
    exact("2^7 leaves of 100 µs", 128 * 100, 100, || {
        programs::tree(7, 100 * microsecond)
    });
    exact("chain of 1,000 × 10 µs", 1000 * 10, 10, || {
        programs::chain(1000, 10 * microsecond)
    });
}

/// Prints what is recorded of a program, beside its work and span in microseconds, which are known
/// but for the forks.
#[cfg(feature = "record")]
fn exact(name: &str, work: u64, span: u64, program: impl Fn() -> u64 + Sync) {
    let pool = Pool::new(1).expect("threads can be started");
    // A run that the system interrupts takes longer: the shortest has what the program takes.
    let recorded = (0..ROUNDS).map(|_| pool.profile(&program).1.sections[0].measures);
    let recorded: Vec<_> = recorded.collect();
    let least = |of: fn(&filch::profile::Measures) -> filch::profile::Duration| {
        let all = recorded.iter().map(of);
        all.min().map_or(0.0, |least| least.seconds() * 1e3)
    };
    print!("| {name}");
    for (known, recorded) in [
        (work, least(|measures| measures.work)),
        (span, least(|measures| measures.span)),
    ] {
        let known = known as f64 / 1e3;
        let error = 100.0 * (recorded / known - 1.0);
        print!(" | {known:.3} | {recorded:.3} | {error:+.1} %");
    }
    println!(" |");
}
