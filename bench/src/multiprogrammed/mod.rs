//! The program `multiprogrammed`: a runtime beside processes that spin on the same cores.
//!
//! ABP01 promises T1/P_A + O(Tinf·P/P_A) on whatever processors the kernel leaves a program, P_A on
//! average. Here P_A is measured: processor time over wall time of the run. What a runtime makes of
//! it is the processor time of the serial program over its own: 1 if no processor time is lost to
//! forks, searching and waiting.

mod spinners;

use std::hint::black_box;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, thread};

use clap::Parser;
use filch_report::markdown_table::{self, Align};

use crate::clock::cpu_time;
use crate::runtimes::{Caller, ForkJoinProgram, Runtime, RuntimeKind};
use crate::workloads::Fib;
use spinners::{SPIN, Spinners, spin_for_ever};

/// Measures fork-join beside spinning processes.
#[derive(Debug, Parser)]
struct Args {
    /// Numbers of spinning processes
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "0,1,2,4"
    )]
    rivals: Vec<usize>,
    /// Threads of each pool [default: one for each core]
    #[arg(long, value_name = "P")]
    threads: Option<usize>,
    /// fib(N) is computed, with a fork for every addition
    #[arg(long, value_name = "N", default_value_t = 34)]
    fib: u64,
    /// Rounds; a cell is the round with the median time
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
}

/// What a round took, in seconds.
#[derive(Clone, Copy, Debug)]
struct Cost {
    wall: f64,
    cpu: f64,
}

const KINDS: [RuntimeKind; 4] = [
    RuntimeKind::Serial,
    RuntimeKind::Filch,
    RuntimeKind::Rayon,
    RuntimeKind::Chili,
];

/// Runs the program.
pub fn multiprogrammed() -> ExitCode {
    if env::args().nth(1).is_some_and(|argument| argument == SPIN) {
        spin_for_ever();
    }
    match print(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that has seen enough is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn print(args: &Args) -> io::Result<()> {
    let cores = thread::available_parallelism()?.get();
    let threads = args.threads.unwrap_or(cores);
    let program = Fib::of(args.fib);
    let mut out = io::stdout().lock();
    let right = ["rivals", "time s", "P_A", "CPU s", "serial CPU / CPU"];
    let columns: Vec<_> = std::iter::once(("runtime", Align::Left))
        .chain(right.map(|title| (title, Align::Right)))
        .collect();
    writeln!(
        out,
        "fib({}), pools of {threads}, {cores} cores\n",
        args.fib
    )?;
    write!(out, "{}", markdown_table::head(&columns))?;
    let alone = median(args.rounds, &Runtime::Serial, &program);
    for &rivals in &args.rivals {
        let spinners = Spinners::start(rivals)?;
        for kind in KINDS {
            let runtime = Runtime::start(kind, threads, Caller::Joins);
            let cost = median(args.rounds, &runtime, &program);
            let numbers = [
                cost.wall,
                cost.cpu / cost.wall,
                cost.cpu,
                alone.cpu / cost.cpu,
            ];
            let names = [kind.name().to_owned(), rivals.to_string()];
            let cells = names
                .into_iter()
                .chain(numbers.map(|number| format!("{number:.3}")));
            write!(out, "{}", markdown_table::row(cells))?;
            out.flush()?;
        }
        drop(spinners);
    }
    Ok(())
}

/// The round with the median time, after one to warm up.
fn median(rounds: usize, runtime: &Runtime, program: &Fib) -> Cost {
    round(runtime, program);
    let mut costs: Vec<Cost> = (0..rounds.max(1))
        .map(|_| round(runtime, program))
        .collect();
    costs.sort_by(|one, other| one.wall.total_cmp(&other.wall));
    costs[costs.len() / 2]
}

fn round(runtime: &Runtime, program: &Fib) -> Cost {
    let (start, before) = (Instant::now(), cpu_time());
    let output = match runtime {
        Runtime::Serial => program.serial(&mut ()),
        Runtime::Filch(pool) => pool.install(|| program.filch(&mut ())),
        Runtime::Rayon(pool) => pool.install(|| program.rayon(&mut ())),
        Runtime::Chili(pool) => program.chili(&mut pool.scope(), &mut ()),
        _ => unreachable!("no other kind is started"),
    };
    let (wall, cpu) = (start.elapsed(), cpu_time() - before);
    program.verify(&(), black_box(output));
    Cost {
        wall: wall.as_secs_f64(),
        cpu: cpu.as_secs_f64(),
    }
}
