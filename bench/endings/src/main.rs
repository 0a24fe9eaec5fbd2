//! How rayon programs end on one core or the other: with a value, not at all, or by a signal.
//!
//! The program is built twice, once with each `rayon-core`. `known` runs programs from reports, and
//! `fuzz` random ones, both on this core and on that of the other program.

mod ending;
mod fuzz;
mod known;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["known", other, ref wanted @ ..] => known::compare(other, wanted),
        ["run", name, threads] => known::run(name, threads),
        ["fuzz", other, seconds, first, ref threads @ ..] => {
            fuzz::compare(other, seconds, first, threads)
        }
        ["show", seed, threads] => fuzz::show(seed, threads),
        ["seeds", first, threads] => fuzz::print_seeds(first, threads),
        _ => {
            eprintln!("use bench/endings/known or bench/endings/fuzz");
            ExitCode::from(2)
        }
    }
}
