//! The table, JSON and CSV.

use std::io::{self, Write};

use filch_report::markdown_table;
use serde::Serialize;

use super::CountRow;
use super::args::CountOptions;
use crate::output;
use crate::runtimes::RuntimeKind;

#[derive(Serialize)]
struct CountReport<'a> {
    valgrind: &'a str,
    rustc: &'a str,
    rows: &'a [CountRow],
}

/// A line of the CSV file.
#[derive(Serialize)]
struct CountRecord<'a> {
    program: &'a str,
    nodes: u64,
    forks: u64,
    runtime: &'a str,
    instructions_per_node: f64,
}

/// Prints `rows` as asked.
pub(crate) fn results(options: &CountOptions, valgrind: &str, rows: &[CountRow]) -> io::Result<()> {
    if let Some(folder) = &options.csv {
        output::csv(folder, "instructions.csv", rows.iter().flat_map(records))?;
    }
    let rustc = env!("BENCH_RUSTC");
    if options.json {
        output::json(&CountReport {
            valgrind,
            rustc,
            rows,
        })
    } else {
        let mut out = io::stdout().lock();
        let versions = options.runtimes.iter().filter_map(|kind| {
            let version = kind.version()?;
            Some(format!("{} {version}", kind.name()))
        });
        let versions: Vec<_> = versions.collect();
        writeln!(out, "- counted by: callgrind of {valgrind}")?;
        writeln!(out, "- compiler: {rustc}")?;
        writeln!(out, "- runtimes: {}", versions.join(", "))?;
        table(&mut out, options, rows)
    }
}

fn table(out: &mut impl Write, options: &CountOptions, rows: &[CountRow]) -> io::Result<()> {
    let names = options.runtimes.iter().map(|kind| kind.name());
    writeln!(out, "\n## Instructions for each node, on one thread\n")?;
    writeln!(
        out,
        "serial: all of them; the runtimes: those beyond serial.\n"
    )?;
    let numbers = ["nodes", "forks per node"].into_iter().chain(names);
    let columns = output::columns(["program"], numbers);
    write!(out, "{}", markdown_table::head(&columns))?;
    for row in rows {
        let serial = row.counts[0].instructions_per_node;
        let cells = row.counts.iter().map(|count| match count.runtime {
            RuntimeKind::Serial => format!("{serial:.1}"),
            _ => format!("{:+.1}", count.instructions_per_node - serial),
        });
        let per_node = format!("{:.2}", row.forks as f64 / row.nodes as f64);
        let words = [row.about.to_owned(), row.nodes.to_string(), per_node];
        let line = markdown_table::row(words.into_iter().chain(cells));
        write!(out, "{line}")?;
    }
    Ok(())
}

fn records(row: &CountRow) -> impl Iterator<Item = CountRecord<'_>> {
    row.counts.iter().map(|count| CountRecord {
        program: row.program,
        nodes: row.nodes,
        forks: row.forks,
        runtime: count.runtime.name(),
        instructions_per_node: output::rounded(count.instructions_per_node),
    })
}
