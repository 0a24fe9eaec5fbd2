//! Both cores in turn.

use std::io;
use std::process::{Command, ExitCode, Stdio};

use crate::rows::{ROWS, RayonRow};

/// How often each program measures each row.
const ROUNDS: usize = 21;

/// Of so many ratios in order, the sixth from either end. Whatever their distribution, its median
/// lies between these two with a confidence of 97 %: at most 5 of 21 fair coins show heads with
/// probability 1.3 %.
const FROM_THE_END: usize = 5;

/// Lets this program and `other` measure, and prints what they say.
pub(crate) fn compare(other: &str, wanted: &[String]) -> ExitCode {
    match table(other, wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the programs could not be compared: {error}");
            ExitCode::FAILURE
        }
    }
}

fn table(other: &str, wanted: &[String]) -> io::Result<()> {
    let own = std::env::current_exe()?;
    let own = own.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    println!(
        "| program | threads | rayon-core, µs | ours, µs | as fast | between | best rounds | small tasks |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|---|");
    let is_wanted = |row: &&RayonRow| {
        wanted.is_empty() || wanted.iter().any(|word| row.name.contains(word.as_str()))
    };
    for threads in [1, 2] {
        for row in ROWS.iter().filter(is_wanted) {
            let rounds = rounds(own, other, threads, row)?;
            let median = |of: fn(&Round) -> f64| sorted(&rounds, of)[ROUNDS / 2];
            let least = |of: fn(&Round) -> f64| sorted(&rounds, of)[0];
            let ratios = sorted(&rounds, |round| round.upstream / round.ours);
            println!(
                "| {} | {threads} | {:.1} | {:.1} | {:.2} × | {:.2}–{:.2} | {:.2} × | {} |",
                row.name,
                median(|round| round.upstream) / 1e3,
                median(|round| round.ours) / 1e3,
                ratios[ROUNDS / 2],
                ratios[FROM_THE_END],
                ratios[ROUNDS - 1 - FROM_THE_END],
                least(|round| round.upstream) / least(|round| round.ours),
                if row.small { "yes" } else { "" },
            );
        }
    }
    Ok(())
}

/// Nanoseconds, measured one after the other.
struct Round {
    ours: f64,
    upstream: f64,
}

/// Each round begins with the other program.
fn rounds(own: &str, other: &str, threads: usize, row: &RayonRow) -> io::Result<Vec<Round>> {
    let round = |round| {
        Ok(if round % 2 == 0 {
            let ours = ask(own, threads, row)?;
            let upstream = ask(other, threads, row)?;
            Round { ours, upstream }
        } else {
            let upstream = ask(other, threads, row)?;
            let ours = ask(own, threads, row)?;
            Round { ours, upstream }
        })
    };
    (0..ROUNDS).map(round).collect()
}

/// In a process of its own: the addresses of stacks and heap are worth some per cent, and differ
/// from process to process.
fn ask(program: &str, threads: usize, row: &RayonRow) -> io::Result<f64> {
    let mut command = Command::new(program);
    command.args(["measure", &threads.to_string(), row.name]);
    let output = command.stderr(Stdio::inherit()).output()?;
    let answer = String::from_utf8_lossy(&output.stdout);
    answer.trim().parse().map_err(io::Error::other)
}

fn sorted(rounds: &[Round], of: impl Fn(&Round) -> f64) -> Vec<f64> {
    let mut numbers: Vec<f64> = rounds.iter().map(of).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers
}
