//! Instructions for each node of a program beyond those of the serial program, on one thread.
//!
//! Callgrind counts what a whole process executes. The program therefore runs itself twice for each
//! cell, with few and with many repetitions: the difference contains neither the start of the
//! process nor that of the pool.

mod args;
mod callgrind;
mod print;
mod programs;

use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;

use crate::output::{self, progress};
use crate::runtimes::RuntimeKind;
use args::{CountArgs, CountOptions};
use programs::CountedProgram;

/// Repetitions of the program in the shorter and in the longer process.
const REPEATS: [u32; 2] = [1, 5];

/// One program: instructions for each node, runtime by runtime, serial first.
#[derive(Debug, Serialize)]
struct CountRow {
    program: &'static str,
    about: &'static str,
    nodes: u64,
    forks: u64,
    counts: Vec<Count>,
}

/// One cell.
#[derive(Debug, Serialize)]
struct Count {
    runtime: RuntimeKind,
    instructions_per_node: f64,
}

/// The program `instructions`: what a fork costs, counted.
pub fn instructions() -> ExitCode {
    let args = CountArgs::parse();
    if let Some(part) = args.part() {
        part.program.repeat(part.runtime, part.repeats);
        return ExitCode::SUCCESS;
    }
    let options = match CountOptions::checked(args) {
        Ok(options) => options,
        Err(message) => return output::refuse(&message),
    };
    match callgrind::version().and_then(|version| Ok((version, rows(&options)?))) {
        Ok((version, rows)) => output::exit_code(print::results(&options, &version, &rows)),
        Err(message) => {
            progress(&message);
            ExitCode::FAILURE
        }
    }
}

fn rows(options: &CountOptions) -> Result<Vec<CountRow>, String> {
    let row = |&program: &CountedProgram| {
        let (nodes, forks) = program.size();
        let count = |&runtime: &RuntimeKind| {
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
            program: program.name(),
            about: program.about(),
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
