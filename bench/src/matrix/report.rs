//! Tables, JSON and CSV. Values come in finished; nothing is measured here.

use std::collections::BTreeMap;
use std::io::{self, Write};

use filch_report::markdown_table;
use filch_report::number::measured;
use filch_report::text_table::TextTable;
use serde::Serialize;

use super::args::{MatrixOptions, MatrixScale};
use super::rounds::{MatrixRow, Unit};
use crate::host::HostFacts;
use crate::output::{self, rounded};
use crate::runtimes::RuntimeKind;
use crate::sampling::Samples;
use crate::workloads::TableGroup;

/// Names everything that can be asked for.
pub(crate) fn list(options: &MatrixOptions) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut workloads = TextTable::untitled(2);
    for workload in &options.workloads {
        workloads.row([workload.name, workload.about]);
    }
    let mut runtimes = TextTable::untitled(2);
    for kind in &options.kinds {
        runtimes.row([kind.name(), kind.version().unwrap_or("the plain program")]);
    }
    writeln!(out, "Workloads:\n{workloads}\nRuntimes:\n{runtimes}")
}

/// Prints `rows` as asked.
pub(crate) fn results(options: &MatrixOptions, rows: &[MatrixRow]) -> io::Result<()> {
    if let Some(folder) = &options.csv {
        let records = rows.iter().flat_map(MatrixRow::records);
        output::csv(folder, "matrix.csv", records)?;
    }
    if options.json {
        output::json(&MatrixReport {
            machine: &options.host,
            versions: versions(options).collect(),
            mode: mode(options),
            rounds: options.rounds,
            rows,
        })
    } else {
        markdown(&mut io::stdout().lock(), options, rows)
    }
}

#[derive(Serialize)]
struct MatrixReport<'a> {
    machine: &'a HostFacts,
    versions: BTreeMap<&'static str, &'static str>,
    mode: &'static str,
    rounds: usize,
    rows: &'a [MatrixRow],
}

/// A line of the CSV file.
#[derive(Serialize)]
struct MatrixRecord<'a> {
    table: TableGroup,
    workload: &'a str,
    what: &'a str,
    threads: usize,
    runtime: &'a str,
    unit: &'a str,
    minimum: f64,
    median: f64,
}

fn versions(options: &MatrixOptions) -> impl Iterator<Item = (&'static str, &'static str)> {
    let kinds = options.kinds.iter();
    kinds.filter_map(|kind| Some((kind.name(), kind.version()?)))
}

fn mode(options: &MatrixOptions) -> &'static str {
    match options.scale {
        MatrixScale::Quick => "quick",
        MatrixScale::Full => "full",
    }
}

fn markdown(out: &mut impl Write, options: &MatrixOptions, rows: &[MatrixRow]) -> io::Result<()> {
    let versions: Vec<_> = versions(options)
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    options.host.write(out)?;
    writeln!(out, "- runtimes: {}", versions.join(", "))?;
    writeln!(
        out,
        "- mode: {}; rounds per row: {}; lower is better everywhere",
        mode(options),
        options.rounds
    )?;
    writeln!(out, "- cells: minimum / median")?;
    if !cfg!(feature = "forte") {
        writeln!(
            out,
            "- not built in: forte (--features forte, before rustc 1.96 with --ignore-rust-version)"
        )?;
    }
    for group in TableGroup::ALL {
        let rows: Vec<_> = rows.iter().filter(|row| row.group == group).collect();
        if !rows.is_empty() {
            table(out, options, group, &rows)?;
        }
    }
    Ok(())
}

fn table(
    out: &mut impl Write,
    options: &MatrixOptions,
    group: TableGroup,
    rows: &[&MatrixRow],
) -> io::Result<()> {
    let measured = |kind: &RuntimeKind| rows.iter().any(|row| row.samples(*kind).is_some());
    let kinds: Vec<RuntimeKind> = options.kinds.iter().copied().filter(measured).collect();
    let names = kinds.iter().map(|kind| kind.name());
    writeln!(out, "\n## {group}\n")?;
    let numbers = ["threads"].into_iter().chain(names);
    let columns = output::columns(["workload", "what", "unit"], numbers);
    write!(out, "{}", markdown_table::head(&columns))?;
    for row in rows {
        let (name, what, unit) = (row.workload.to_owned(), row.what.clone(), row.unit.name());
        let words = [name, what, unit.to_owned(), row.threads.to_string()];
        let cells = kinds.iter().map(|kind| row.text(*kind));
        let line = markdown_table::row(words.into_iter().chain(cells));
        write!(out, "{line}")?;
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

impl MatrixRow {
    fn samples(&self, kind: RuntimeKind) -> Option<&Samples> {
        self.cells.iter().find(|samples| samples.runtime == kind)
    }

    /// Minimum and median in the unit in which they are printed, and that unit.
    fn printed(&self, samples: &Samples) -> (f64, f64, &'static str) {
        let scaled = |by: f64, unit| (samples.min / by, samples.median / by, unit);
        let unit = self.unit.name();
        match (self.unit, self.samples(RuntimeKind::Serial)) {
            (Unit::RatioToSerial, Some(serial)) if samples.runtime != RuntimeKind::Serial => {
                let (min, median) = (samples.min / serial.min, samples.median / serial.median);
                (min, median, unit)
            }
            (Unit::RatioToSerial, _) => scaled(1e6, "ms"),
            (Unit::Microseconds, _) => scaled(1e3, unit),
            (Unit::Nanoseconds | Unit::CpuShare, _) => scaled(1.0, unit),
        }
    }

    fn text(&self, kind: RuntimeKind) -> String {
        let Some(samples) = self.samples(kind) else {
            return "–".to_owned();
        };
        match self.printed(samples) {
            (min, median, "ms") => format!("{} / {} ms", measured(min), measured(median)),
            (min, median, _) if self.unit == Unit::CpuShare => format!("{min:.5} / {median:.5}"),
            (min, median, _) => format!("{} / {}", measured(min), measured(median)),
        }
    }

    fn records(&self) -> impl Iterator<Item = MatrixRecord<'_>> {
        self.cells.iter().map(|samples| {
            let (minimum, median, unit) = self.printed(samples);
            MatrixRecord {
                table: self.group,
                workload: self.workload,
                what: &self.what,
                threads: self.threads,
                runtime: samples.runtime.name(),
                unit,
                minimum: rounded(minimum),
                median: rounded(median),
            }
        })
    }
}
