//! Tables, JSON and progress. Values come in finished; nothing is measured here.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::args::{Run, Scale};
use crate::machine::Machine;
use crate::measure::{Cell, Row, Unit};
use crate::runtimes::Kind;
use crate::workloads::Group;

/// Says on standard error what goes on. A closed standard error is no reason to stop.
pub(crate) fn progress(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Names everything that can be asked for.
pub(crate) fn list(run: &Run) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "Workloads:")?;
    for workload in &run.workloads {
        writeln!(out, "  {:14} {}", workload.name, workload.about)?;
    }
    writeln!(out, "Runtimes:")?;
    for kind in &run.kinds {
        writeln!(
            out,
            "  {:14} {}",
            kind.name(),
            kind.version().unwrap_or("the plain program")
        )?;
    }
    Ok(())
}

/// Prints `rows` as asked.
pub(crate) fn results(run: &Run, rows: &[Row]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if run.json {
        json(&mut out, run, rows)
    } else {
        markdown(&mut out, run, rows)
    }
}

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    versions: BTreeMap<&'static str, &'static str>,
    mode: &'static str,
    rounds: usize,
    rows: &'a [Row],
}

fn json(out: &mut impl Write, run: &Run, rows: &[Row]) -> io::Result<()> {
    let versions = versions(run).collect();
    let (machine, mode, rounds) = (&run.machine, mode(run), run.rounds);
    serde_json::to_writer_pretty(
        &mut *out,
        &Report {
            machine,
            versions,
            mode,
            rounds,
            rows,
        },
    )?;
    writeln!(out)
}

fn versions(run: &Run) -> impl Iterator<Item = (&'static str, &'static str)> {
    run.kinds
        .iter()
        .filter_map(|kind| Some((kind.name(), kind.version()?)))
}

fn mode(run: &Run) -> &'static str {
    match run.scale {
        Scale::Quick => "quick",
        Scale::Full => "full",
    }
}

fn markdown(out: &mut impl Write, run: &Run, rows: &[Row]) -> io::Result<()> {
    let machine = &run.machine;
    let versions: Vec<_> = versions(run)
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    writeln!(out, "- machine: {}, {} cores", machine.cpu, machine.cores)?;
    writeln!(out, "- load average at the start: {:.2}", machine.load)?;
    writeln!(out, "- compiler: {}", machine.rustc)?;
    writeln!(out, "- runtimes: {}", versions.join(", "))?;
    writeln!(
        out,
        "- mode: {}; rounds per row: {}; lower is better everywhere",
        mode(run),
        run.rounds
    )?;
    writeln!(out, "- cells: minimum / median")?;
    for line in missing() {
        writeln!(out, "- {line}")?;
    }
    for group in Group::ALL {
        let rows: Vec<_> = rows.iter().filter(|row| row.group == group).collect();
        if !rows.is_empty() {
            table(out, run, group, &rows)?;
        }
    }
    Ok(())
}

/// What this build leaves out, and how to have it.
fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if !cfg!(feature = "forte") {
        missing.push(
            "not built in: forte (--features forte, before rustc 1.96 with --ignore-rust-version)",
        );
    }
    missing
}

fn table(out: &mut impl Write, run: &Run, group: Group, rows: &[&Row]) -> io::Result<()> {
    let measured = |kind: &Kind| rows.iter().any(|row| row.cell(*kind).is_some());
    let kinds: Vec<Kind> = run.kinds.iter().copied().filter(measured).collect();
    let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
    writeln!(out, "\n## {group}\n")?;
    writeln!(
        out,
        "| workload | what | threads | unit | {} |",
        names.join(" | ")
    )?;
    writeln!(out, "|---|---|--:|---|{}", "--:|".repeat(kinds.len()))?;
    for row in rows {
        let cells: Vec<_> = kinds.iter().map(|kind| row.text(*kind)).collect();
        let (name, what, threads, unit) = (row.workload, &row.what, row.threads, row.unit.name());
        writeln!(
            out,
            "| {name} | {what} | {threads} | {unit} | {} |",
            cells.join(" | ")
        )?;
    }
    Ok(())
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::RatioToSerial => "× serial",
            Unit::Nanoseconds => "ns",
            Unit::Microseconds => "µs",
            Unit::CpuShare => "CPU-s per s",
        }
    }
}

impl Row {
    fn cell(&self, kind: Kind) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.runtime == kind)
    }

    fn text(&self, kind: Kind) -> String {
        let Some(cell) = self.cell(kind) else {
            return "–".to_owned();
        };
        let (min, median) = (cell.min, cell.median);
        match (self.unit, self.cell(Kind::Serial)) {
            (Unit::RatioToSerial, Some(serial)) if kind != Kind::Serial => {
                pair(min / serial.min, median / serial.median, "")
            }
            (Unit::RatioToSerial, _) => pair(min / 1e6, median / 1e6, " ms"),
            (Unit::Microseconds, _) => pair(min / 1e3, median / 1e3, ""),
            (Unit::Nanoseconds, _) => pair(min, median, ""),
            (Unit::CpuShare, _) => format!("{min:.5} / {median:.5}"),
        }
    }
}

fn pair(min: f64, median: f64, unit: &str) -> String {
    format!("{} / {}{unit}", digits(min), digits(median))
}

/// Three digits that mean something.
fn digits(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}
