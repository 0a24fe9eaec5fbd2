//! What one run of a program costs.
//!
//! The system adds up what all children of a process have used, so each run has a process of its
//! own that starts it.

use std::io;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// The cost of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Seconds from start to end.
    pub(crate) wall: f64,
    /// Seconds of processor time.
    pub(crate) processor: f64,
    /// How often a thread gave up its processor to wait.
    pub(crate) switches: f64,
    /// Peak memory in MiB.
    pub(crate) memory: f64,
}

/// Runs the program and prints its cost.
pub(crate) fn print(program: &str, arguments: &[&str]) -> ExitCode {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let began = Instant::now();
    let succeeded = command.status().is_ok_and(|status| status.success());
    let wall = began.elapsed().as_secs_f64();
    let (true, Ok(usage)) = (succeeded, getrusage(UsageWho::RUSAGE_CHILDREN)) else {
        return ExitCode::FAILURE;
    };
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let processor = seconds(usage.user_time()) + seconds(usage.system_time());
    let switches = usage.voluntary_context_switches();
    println!("{wall} {processor} {switches} {}", usage.max_rss() / 1024);
    ExitCode::SUCCESS
}

/// Measures a program in a process of its own.
pub(crate) fn cost(program: &str, arguments: &[String], threads: usize) -> io::Result<Cost> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("measure").arg(program).args(arguments);
    command.env("RAYON_NUM_THREADS", threads.to_string());
    let output = command.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    match numbers[..] {
        [wall, processor, switches, memory] => Ok(Cost {
            wall,
            processor,
            switches,
            memory,
        }),
        _ => Err(io::Error::other(format!("{program} failed"))),
    }
}
