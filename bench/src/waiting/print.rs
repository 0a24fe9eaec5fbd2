//! Tables and names.

use std::io::{self, Write};

use filch_report::markdown_table;
use filch_report::text_table::TextTable;

use super::WaitingResults;
use super::programs::TimedProgram;
use super::stacks::{StackAdversary, StackRow};
use super::times::TimeRow;
use crate::output;

/// Names the rows.
pub(crate) fn names() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (mut times, mut stacks) = (TextTable::untitled(2), TextTable::untitled(2));
    for program in TimedProgram::ALL {
        times.row([program.name, program.about]);
    }
    for adversary in StackAdversary::ALL {
        stacks.row([adversary.name, adversary.about]);
    }
    writeln!(out, "Time:\n{times}\nStacks:\n{stacks}")
}

/// Two tables.
pub(crate) fn markdown(results: &WaitingResults) -> io::Result<()> {
    let mut out = io::stdout().lock();
    results.machine.write(&mut out)?;
    writeln!(out, "- runs of each row: {}", results.rounds)?;
    if !results.times.is_empty() {
        times(&mut out, &results.times)?;
    }
    if !results.stacks.is_empty() {
        stacks(&mut out, &results.stacks)?;
    }
    Ok(())
}

fn times(out: &mut impl Write, rows: &[TimeRow]) -> io::Result<()> {
    writeln!(out, "\n## Time over the ideal, minimum / median\n")?;
    writeln!(
        out,
        "Ideal: what an optimal schedule needs for the same leaves, each as long as it turned out.\n\
         Sleeps: how long the leaves of filch's and of rayon's runs slept, over what they asked for.\n\
         Criterion: filch's median is at most 1.10, or 1.05 of rayon's, whichever is larger.\n"
    )?;
    let numbers = [
        "workers",
        "asked, ms",
        "filch",
        "rayon",
        "filch over rayon",
        "sleeps",
        "limit",
        "criterion",
    ];
    let columns = output::columns(["program"], numbers);
    write!(out, "{}", markdown_table::head(&columns))?;
    for row in rows {
        let (filch, rayon) = (&row.filch.over_ideal, &row.rayon.over_ideal);
        let pair = |min: f64, median: f64| format!("{min:.2} / {median:.2}");
        let sleeps = [&row.filch, &row.rayon].map(|cell| format!("{:.2}", cell.sleeps.median));
        let line = markdown_table::row([
            row.program.to_owned(),
            row.workers.to_string(),
            format!("{:.0}", row.asked_ms),
            pair(filch.min, filch.median),
            pair(rayon.min, rayon.median),
            pair(filch.min / rayon.min, filch.median / rayon.median),
            sleeps.join(", "),
            format!("{:.2}", row.limit()),
            met(row.is_met()).to_owned(),
        ]);
        write!(out, "{line}")?;
    }
    Ok(())
}

fn stacks(out: &mut impl Write, rows: &[StackRow]) -> io::Result<()> {
    writeln!(out, "\n## Stacks, in KiB\n")?;
    writeln!(
        out,
        "S1 is the stack of the same program on one worker of the same runtime. The criteria: a \
         thread's\nstack is at most 1.1·S1 + 16 KiB; the live stacks of all threads together are \
         at most S1·P.\n"
    )?;
    let numbers = [
        "workers",
        "threads",
        "S1",
        "deepest",
        "over S1",
        "criterion",
        "live",
        "over S1·P",
        "criterion",
    ];
    let columns = output::columns(["program", "runtime"], numbers);
    write!(out, "{}", markdown_table::head(&columns))?;
    let kib = |bytes: usize| bytes as f64 / 1024.0;
    for row in rows {
        let line = markdown_table::row([
            row.program.to_owned(),
            row.runtime.name().to_owned(),
            row.workers.to_string(),
            row.threads.to_string(),
            format!("{:.1}", kib(row.serial)),
            format!("{:.1}", kib(row.deepest)),
            format!("{:.2}", row.deepest as f64 / row.serial as f64),
            met(row.deepest <= row.limit()).to_owned(),
            format!("{:.0}", kib(row.live)),
            format!("{:.2}", row.live as f64 / row.live_limit() as f64),
            met(row.live <= row.live_limit()).to_owned(),
        ]);
        write!(out, "{line}")?;
    }
    Ok(())
}

fn met(holds: bool) -> &'static str {
    if holds { "met" } else { "not met" }
}
