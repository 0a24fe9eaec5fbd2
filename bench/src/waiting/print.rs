//! Tables and names.

use std::io::{self, Write};

use super::WaitingResults;
use super::programs::TimedProgram;
use super::stacks::{StackAdversary, StackRow};
use super::times::TimeRow;

/// Names the rows.
pub(crate) fn names() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "Time:")?;
    for program in TimedProgram::ALL {
        writeln!(out, "  {:20} {}", program.name, program.about)?;
    }
    writeln!(out, "Stacks:")?;
    for adversary in StackAdversary::ALL {
        writeln!(out, "  {:20} {}", adversary.name, adversary.about)?;
    }
    Ok(())
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
    writeln!(
        out,
        "| program | workers | asked, ms | filch | rayon | filch over rayon | sleeps \
         | limit | criterion |"
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|---|")?;
    for row in rows {
        let (filch, rayon) = (&row.filch.over_ideal, &row.rayon.over_ideal);
        writeln!(
            out,
            "| {} | {} | {:.0} | {:.2} / {:.2} | {:.2} / {:.2} | {:.2} / {:.2} \
             | {:.2}, {:.2} | {:.2} | {} |",
            row.program,
            row.workers,
            row.asked_ms,
            filch.min,
            filch.median,
            rayon.min,
            rayon.median,
            filch.min / rayon.min,
            filch.median / rayon.median,
            row.filch.sleeps.median,
            row.rayon.sleeps.median,
            row.limit(),
            met(row.is_met()),
        )?;
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
    writeln!(
        out,
        "| program | workers | runtime | threads | S1 | deepest | over S1 | criterion \
         | live | over S1·P | criterion |"
    )?;
    writeln!(out, "|---|--:|---|--:|--:|--:|--:|---|--:|--:|---|")?;
    let kib = |bytes: usize| bytes as f64 / 1024.0;
    for row in rows {
        writeln!(
            out,
            "| {} | {} | {} | {} | {:.1} | {:.1} | {:.2} | {} | {:.0} | {:.2} | {} |",
            row.program,
            row.workers,
            row.runtime.name(),
            row.threads,
            kib(row.serial),
            kib(row.deepest),
            row.deepest as f64 / row.serial as f64,
            met(row.deepest <= row.limit()),
            kib(row.live),
            row.live as f64 / row.live_limit() as f64,
            met(row.live <= row.live_limit()),
        )?;
    }
    Ok(())
}

fn met(holds: bool) -> &'static str {
    if holds { "met" } else { "not met" }
}
