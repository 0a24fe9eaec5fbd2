//! Instructions for each node of a program beyond those of the serial program, on one thread.
//!
//! Callgrind counts what a whole process executes. The program therefore runs itself twice for each
//! cell, with few and with many repetitions, and the difference has neither the start of the process
//! nor that of the pool in it.

mod args;
mod callgrind;
mod programs;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;

use crate::report::progress;
use crate::runtimes::Kind;
use args::{CountArgs, CountOptions};
use programs::Counted;

/// Repetitions of the program in the shorter and in the longer process.
const REPEATS: [u32; 2] = [1, 5];

/// One program: instructions for each node, runtime by runtime, serial first.
#[derive(Debug, Serialize)]
struct CountRow {
    program: &'static str,
    nodes: u64,
    forks: u64,
    counts: Vec<Count>,
}

/// One cell.
#[derive(Debug, Serialize)]
struct Count {
    runtime: Kind,
    instructions_per_node: f64,
}

/// The program `instructions`: what a fork costs, counted.
pub fn instructions() -> ExitCode {
    let args = CountArgs::parse();
    if let Some(part) = args.part() {
        part.program.repeat(part.runtime, part.repeats);
        return ExitCode::SUCCESS;
    }
    let options = match CountOptions::checked(&args) {
        Ok(options) => options,
        Err(message) => {
            progress(&message);
            return ExitCode::from(2);
        }
    };
    match callgrind::version().and_then(|version| Ok((version, rows(&options)?))) {
        Ok((version, rows)) if options.json => crate::exit_code(json(&version, &rows)),
        Ok((version, rows)) => crate::exit_code(markdown(&options, &version, &rows)),
        Err(message) => {
            progress(&message);
            ExitCode::FAILURE
        }
    }
}

fn rows(options: &CountOptions) -> Result<Vec<CountRow>, String> {
    let row = |&program: &Counted| {
        let (nodes, forks) = program.size();
        let count = |&runtime: &Kind| {
            progress(&format!("{}, {}", program.name(), runtime.name()));
            let [few, many] = REPEATS.map(|repeats| callgrind::count(program, runtime, repeats));
            let counted = many?.saturating_sub(few?);
            let repeats = f64::from(REPEATS[1] - REPEATS[0]);
            Ok(Count {
                runtime,
                instructions_per_node: counted as f64 / repeats / nodes as f64,
            })
        };
        Ok(CountRow {
            program: program.about(),
            nodes,
            forks,
            counts: options
                .runtimes
                .iter()
                .map(count)
                .collect::<Result<_, String>>()?,
        })
    };
    options.programs.iter().map(row).collect()
}

#[derive(Serialize)]
struct CountReport<'a> {
    valgrind: &'a str,
    rustc: &'a str,
    rows: &'a [CountRow],
}

fn json(valgrind: &str, rows: &[CountRow]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let rustc = env!("BENCH_RUSTC");
    let report = CountReport {
        valgrind,
        rustc,
        rows,
    };
    serde_json::to_writer_pretty(&mut out, &report)?;
    writeln!(out)
}

fn markdown(options: &CountOptions, valgrind: &str, rows: &[CountRow]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let versions = options.runtimes.iter().filter_map(|kind| {
        let version = kind.version()?;
        Some(format!("{} {version}", kind.name()))
    });
    writeln!(out, "- counted by: callgrind of {valgrind}")?;
    writeln!(out, "- compiler: {}", env!("BENCH_RUSTC"))?;
    writeln!(
        out,
        "- runtimes: {}",
        versions.collect::<Vec<_>>().join(", ")
    )?;
    writeln!(out, "\n## Instructions for each node, on one thread\n")?;
    writeln!(
        out,
        "serial: all of them; the runtimes: those beyond serial.\n"
    )?;
    let names: Vec<_> = options.runtimes.iter().map(|kind| kind.name()).collect();
    writeln!(
        out,
        "| program | nodes | forks per node | {} |",
        names.join(" | ")
    )?;
    writeln!(out, "|---|--:|--:|{}", "--:|".repeat(names.len()))?;
    for row in rows {
        let serial = row.counts[0].instructions_per_node;
        let cells = row.counts.iter().map(|count| match count.runtime {
            Kind::Serial => format!("{serial:.1}"),
            _ => format!("{:+.1}", count.instructions_per_node - serial),
        });
        writeln!(
            out,
            "| {} | {} | {:.2} | {} |",
            row.program,
            row.nodes,
            row.forks as f64 / row.nodes as f64,
            cells.collect::<Vec<_>>().join(" | ")
        )?;
    }
    Ok(())
}
