//! How fast simulated processors run a computation: instructions a second on one core.
//!
//! Each row is the fastest of a few rounds, in CPU time, so that waiting for a core does not count.
//! `acts` counts what all processors do in all steps: working, asking and waiting.

use std::io::{self, Write};
use std::process::ExitCode;

use filch_random::Seed;
use filch_report::markdown_table;
use filch_sim::machine::{Machine, Scheduler};
use filch_workload::dag::Family;

use crate::clock::cpu_time;
use crate::output;

/// What is run without arguments: family, scheduler, processors.
const ROWS: &[(&str, &str, &str)] = &[
    ("fib:32", "stealing", "1"),
    ("fib:32", "stealing", "64"),
    ("fib:32", "stealing", "1024"),
    ("fib:32", "vertex-stealing", "64"),
    ("fib:32", "busy-leaves", "64"),
    ("fib:27", "greedy", "64"),
    ("tree:20:10", "stealing", "64"),
    ("comb:1000000", "stealing", "64"),
    ("fib:27", "stealing", "1000000"),
];

const ROUNDS: u32 = 5;

/// The program `machine`: instructions a second of simulated processors.
pub fn machine() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rows = match &args[..] {
        [] => ROWS.to_vec(),
        [family, scheduler, processors] => vec![(&**family, &**scheduler, &**processors)],
        _ => return output::refuse("machine: give nothing, or FAMILY SCHEDULER PROCESSORS"),
    };
    let numbers = ["processors", "steps", "instructions/µs", "acts/µs"];
    let columns = output::columns(["family", "scheduler"], numbers);
    let mut out = io::stdout().lock();
    let mut written = out.write_all(markdown_table::head(&columns).as_bytes());
    for (family, scheduler, processors) in rows {
        match row(family, scheduler, processors) {
            Ok(line) => written = written.and_then(|()| out.write_all(line.as_bytes())),
            Err(message) => return output::refuse(&format!("machine: {message}")),
        }
    }
    output::exit_code(written)
}

fn row(name: &str, scheduler: &str, processors: &str) -> Result<String, String> {
    let family: Family = name.parse().map_err(|error| format!("{error}"))?;
    let scheduler: Scheduler = scheduler.parse()?;
    let count = processors.parse().ok().filter(|&count: &usize| count > 0);
    let count = count.ok_or_else(|| format!("'{processors}' is no number of processors"))?;
    scheduler
        .accepts(&family.measures())
        .map_err(str::to_owned)?;
    let (machine, computation) = (Machine::new(scheduler, count), family.computation());
    let round = |_| {
        let start = cpu_time();
        let outcome = machine.run(&computation, Seed::new(1), 0);
        (cpu_time() - start, outcome)
    };
    let fastest = (0..ROUNDS).map(round).min_by_key(|(time, _)| *time);
    let (time, outcome) = fastest.expect("some rounds");
    let micros = time.as_secs_f64() * 1e6;
    Ok(markdown_table::row([
        name.to_owned(),
        scheduler.to_string(),
        count.to_string(),
        outcome.time.to_string(),
        format!("{:.1}", outcome.work as f64 / micros),
        format!("{:.1}", outcome.dollars() as f64 / micros),
    ]))
}
