//! Random nested programs, on both cores side by side.
//!
//! Every program ends on upstream's core whatever the timing: it blocks a thread only where a free
//! thread of the pool is certain to come to what it waits for ([`program::Wait`],
//! [`program::Blocking`]), and otherwise it yields. Its value does not depend on the schedule, and
//! a serial evaluation says what it is.

mod generate;
mod pools;
mod program;
mod run;
mod section;
mod waits;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::ending::{Ending, Printer};

/// How long one program may take: a millisecond or so on an idle machine.
const LIMIT: Duration = Duration::from_secs(30);

/// How many programs run before it is the turn of the next number of threads.
const CHUNK: u64 = 50;

/// Prints the value of one program after another, without end.
pub(crate) fn print_seeds(first: &str, threads: &str) -> ExitCode {
    let (Ok(first), Ok(threads)) = (first.parse::<u64>(), threads.parse()) else {
        return ExitCode::from(2);
    };
    for seed in first.. {
        let program = generate::program(seed, threads);
        let (value, expected) = (run::value(&program), program.value());
        let verdict = if value == expected { "right" } else { "wrong" };
        println!("{seed} {value:016x} {verdict}");
        if std::io::stdout().flush().is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// Prints one program.
pub(crate) fn show(seed: &str, threads: &str) -> ExitCode {
    let (Ok(seed), Ok(threads)) = (seed.parse(), threads.parse()) else {
        return ExitCode::from(2);
    };
    println!("{:#?}", generate::program(seed, threads));
    ExitCode::SUCCESS
}

/// Compares this core with that of `other` for so many seconds.
pub(crate) fn compare(other: &str, seconds: &str, first: &str, threads: &[&str]) -> ExitCode {
    let (Ok(seconds), Ok(first)) = (seconds.parse(), first.parse::<u64>()) else {
        return ExitCode::from(2);
    };
    let own = std::env::current_exe().expect("this program has a path");
    let own = own.to_str().expect("the path is text");
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut seed, mut differences) = (first, 0);
    while Instant::now() < end {
        for threads in threads {
            let seeds = seed..seed + CHUNK;
            let upstream = endings(other, seeds.clone(), threads);
            let ours = endings(own, seeds.clone(), threads);
            for (seed, (ours, upstream)) in seeds.zip(ours.into_iter().zip(upstream)) {
                let is_right = matches!(&ours, Ending::Finishes(line) if line.ends_with("right"));
                if ours != upstream || !is_right {
                    differences += 1;
                    println!(
                        "seed {seed}, {threads} threads: upstream {upstream:?}, ours {ours:?}"
                    );
                }
            }
            seed += CHUNK;
        }
    }
    println!(
        "{} programs from seed {first}, {differences} differences",
        seed - first
    );
    if differences == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// How the programs end. After one that does not end with a value, a new process goes on.
fn endings(program: &str, seeds: std::ops::Range<u64>, threads: &str) -> Vec<Ending> {
    let mut printer: Option<Printer> = None;
    let mut endings = Vec::new();
    for seed in seeds {
        let start = || Printer::start(program, &["seeds", &seed.to_string(), threads]);
        let mut current = match printer.take().map_or_else(start, Ok) {
            Ok(current) => current,
            Err(error) => {
                endings.push(Ending::Dies(error.to_string()));
                continue;
            }
        };
        let ending = current.next(LIMIT);
        if matches!(ending, Ending::Finishes(_)) {
            printer = Some(current);
        }
        endings.push(ending);
    }
    endings
}
