//! Both cores in turn.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};

use crate::rows::{ROWS, Row};

/// How often each program is asked for each row.
const ROUNDS: usize = 9;

struct Program {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Program {
    fn start(path: &str) -> std::io::Result<Self> {
        let mut child = Command::new(path)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answers = child.stdout.take().map(BufReader::new);
        let answers = answers.ok_or(std::io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, answers })
    }

    fn ask(&mut self, threads: usize, row: &Row) -> std::io::Result<u64> {
        let questions = self.child.stdin.as_mut();
        let questions = questions.ok_or(std::io::ErrorKind::BrokenPipe)?;
        writeln!(questions, "{threads} {}", row.name)?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        answer.trim().parse().map_err(std::io::Error::other)
    }
}

/// Asks this program and `other`, and prints what they say.
pub(crate) fn compare(other: &str, wanted: &[String]) -> ExitCode {
    match table(other, wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the programs could not be compared: {error}");
            ExitCode::FAILURE
        }
    }
}

fn table(other: &str, wanted: &[String]) -> std::io::Result<()> {
    let own = std::env::current_exe()?;
    let own = own.to_str().ok_or(std::io::ErrorKind::InvalidFilename)?;
    let (mut ours, mut upstream) = (Program::start(own)?, Program::start(other)?);
    println!(
        "| program | threads | rayon-core, µs | ours, µs | as fast | best rounds | small tasks |"
    );
    println!("|---|--:|--:|--:|--:|--:|---|");
    let is_wanted = |row: &&Row| {
        wanted.is_empty() || wanted.iter().any(|word| row.name.contains(word.as_str()))
    };
    for threads in [1, 2] {
        for row in ROWS.iter().filter(is_wanted) {
            let mut times = (Vec::new(), Vec::new());
            // The first round is thrown away, and each begins with the other program.
            for round in 0..=ROUNDS {
                let (a, b) = if round % 2 == 0 {
                    let a = ours.ask(threads, row)?;
                    (a, upstream.ask(threads, row)?)
                } else {
                    let b = upstream.ask(threads, row)?;
                    (ours.ask(threads, row)?, b)
                };
                if round > 0 {
                    times.0.push(a);
                    times.1.push(b);
                }
            }
            let small = if row.small { "yes" } else { "" };
            let ((a, best_a), (b, best_b)) = (summary(times.0), summary(times.1));
            let (name, ratio, best) = (row.name, b / a, best_b / best_a);
            println!(
                "| {name} | {threads} | {b:.1} | {a:.1} | {ratio:.2} × | {best:.2} × | {small} |"
            );
        }
    }
    Ok(())
}

/// The median and the least, in microseconds. On a machine with other work, the least says more of the program.
fn summary(mut nanos: Vec<u64>) -> (f64, f64) {
    nanos.sort_unstable();
    let micros = |nanos| nanos as f64 / 1e3;
    (micros(nanos[nanos.len() / 2]), micros(nanos[0]))
}
