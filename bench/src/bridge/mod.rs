//! The program `bridge`: one table for each part of what stands between tasks and threads.

mod cancel;
mod classes;
mod figures;
mod local;
mod random;
mod requests;
mod way;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser;
use filch_report::markdown_table;
use filch_report::number::measured;

use crate::output::{columns, exit_code, is_wanted};

/// Measures the bridge between asynchronous code and threads.
#[derive(Debug, Parser)]
struct Args {
    /// Only tables whose name contains one of these: way, requests, classes, cancel, local, random
    tables: Vec<String>,
}

/// A table: what its numbers are, and how each row is measured.
struct Table {
    name: &'static str,
    about: &'static str,
    numbers: &'static [&'static str],
    rows: fn() -> Vec<Row>,
}

/// A candidate, and what was measured of it.
struct Row {
    candidate: &'static str,
    numbers: Vec<f64>,
}

impl Row {
    fn new(candidate: &'static str, numbers: impl Into<Vec<f64>>) -> Self {
        let numbers = numbers.into();
        Self { candidate, numbers }
    }
}

const TABLES: [Table; 6] = [
    way::TABLE,
    requests::TABLE,
    classes::TABLE,
    cancel::TABLE,
    local::TABLE,
    random::TABLE,
];

/// Runs the program.
pub fn bridge() -> ExitCode {
    exit_code(print(&Args::parse()))
}

fn print(args: &Args) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for table in TABLES {
        if !is_wanted(table.name, &args.tables) {
            continue;
        }
        let head = columns([table.name], table.numbers.iter().copied());
        write!(out, "{}\n\n{}", table.about, markdown_table::head(&head))?;
        for row in (table.rows)() {
            let numbers = row.numbers.into_iter().map(measured);
            let cells = [row.candidate.to_owned()].into_iter().chain(numbers);
            write!(out, "{}", markdown_table::row(cells))?;
        }
        writeln!(out)?;
        out.flush()?;
    }
    Ok(())
}
