//! The tables of what was measured.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, Write};

use filch_balance::trial::Alarm;
use filch_report::markdown_table::{self, Align};
use filch_report::number::measured;
use serde_json::json;

use crate::args::Measure;
use crate::balancers::Candidate;
use crate::figures::Figures;
use crate::measure::{self, Row};
use crate::setting::{ArrivalKind, Servers};

/// Measures every candidate in every setting. Prints each row when it is done, and the overview at
/// the end.
pub(crate) fn print(task: &Measure) -> Result<(), Box<dyn Error>> {
    if task.list {
        return list(&task.candidates);
    }
    let (candidates, versions) = installed(&task.candidates)?;
    if !task.json {
        head()?;
    }
    let rows = measure_all(task, &candidates)?;
    let mut out = io::stdout().lock();
    if task.json {
        let versions: Vec<_> = versions.into_iter().collect();
        serde_json::to_writer(&mut out, &json!({ "versions": versions, "rows": rows }))?;
        return Ok(writeln!(out)?);
    }
    writeln!(out)?;
    for version in versions {
        writeln!(out, "- {version}")?;
    }
    for servers in [
        Servers::TwoSpeeds,
        Servers::Demo,
        Servers::FourAtOnce,
        Servers::FastErrors,
    ] {
        for arrivals in [ArrivalKind::Poisson, ArrivalKind::Batches] {
            overview(&mut out, &rows, servers, arrivals)?;
        }
    }
    Ok(())
}

/// Names the balancers.
pub(crate) fn list(candidates: &[Candidate]) -> Result<(), Box<dyn Error>> {
    for candidate in candidates {
        writeln!(io::stdout(), "{}", candidate.name())?;
    }
    Ok(())
}

/// The candidates that can be run here, and their versions.
pub(crate) fn installed(all: &[Candidate]) -> io::Result<(Vec<&Candidate>, BTreeSet<String>)> {
    let mut versions = BTreeSet::new();
    let mut candidates = Vec::new();
    for candidate in all {
        match candidate.version() {
            Ok(version) => {
                versions.insert(version);
                candidates.push(candidate);
            }
            Err(missing) => say(&format!("left out {}: {missing}", candidate.name()))?,
        }
    }
    Ok((candidates, versions))
}

/// Setting by setting, so that candidates that are compared run soon after one another.
fn measure_all(task: &Measure, candidates: &[&Candidate]) -> Result<Vec<Row>, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let alarm = Alarm::start();
    let mut rows = Vec::new();
    for setting in &task.settings {
        for candidate in candidates {
            say(&format!("{}: {}", setting.name(), candidate.name()))?;
            match runtime.block_on(measure::measure(candidate, setting, &alarm)) {
                Ok(row) => {
                    if !task.json {
                        print_row(&row)?;
                    }
                    rows.push(row);
                }
                Err(error) => say(&format!("left out {}: {error}", candidate.name()))?,
            }
        }
    }
    Ok(rows)
}

pub(crate) fn say(message: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{message}")
}

fn head() -> io::Result<()> {
    let words = ["balancer", "servers", "arrivals", "load"];
    let latencies = ["mean", "p50", "p99", "p99.9", "simulated mean / p99"];
    let requests = ["answered", "bad", "open", "excluded", "CPU µs"];
    let titles = words.into_iter().chain(latencies).chain(requests);
    let columns: Vec<_> = titles.map(|title| (title, Align::Left)).collect();
    write!(io::stdout(), "{}", markdown_table::head(&columns))
}

fn print_row(row: &Row) -> io::Result<()> {
    let Figures {
        mean,
        p50,
        p99,
        p999,
        diverged,
    } = row.measured;
    let latencies = if diverged {
        ["diverges", "", "", ""].map(str::to_owned)
    } else {
        [mean, p50, p99, p999].map(measured)
    };
    let simulated = row.simulated.map_or("–".into(), |figures| figures.short());
    let words = [
        row.balancer.clone(),
        format!("{:?}", row.servers),
        format!("{:?}", row.arrivals),
        row.load.to_string(),
    ];
    let requests = [
        simulated,
        row.answered.to_string(),
        (row.failed + row.timed_out).to_string(),
        row.unfinished.to_string(),
        row.excluded.to_string(),
        format!("{:.0}", row.cpu_us),
    ];
    let mut out = io::stdout().lock();
    let cells = words.into_iter().chain(latencies).chain(requests);
    write!(out, "{}", markdown_table::row(cells))?;
    out.flush()
}

/// Mean / p99 by balancer and load, measured and simulated.
fn overview(
    out: &mut impl Write,
    rows: &[Row],
    servers: Servers,
    arrivals: ArrivalKind,
) -> io::Result<()> {
    let here = |row: &&Row| row.servers == servers && row.arrivals == arrivals;
    let rows: Vec<_> = rows.iter().filter(here).collect();
    let mut loads: Vec<f64> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for row in &rows {
        if !loads.contains(&row.load) {
            loads.push(row.load);
        }
        if !names.contains(&&*row.balancer) {
            names.push(&row.balancer);
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n{servers:?}, {arrivals:?}, mean / p99 in ms (simulated)\n"
    )?;
    let percent = loads.iter().map(|load| format!("{:.0} %", load * 100.0));
    let titles = ["balancer".to_owned()].into_iter().chain(percent);
    let titles = titles.chain(["CPU µs".to_owned()]);
    let columns: Vec<_> = titles.map(|title| (title, Align::Left)).collect();
    write!(out, "{}", markdown_table::head(&columns))?;
    for name in names {
        let of_name = rows.iter().copied().filter(|row| row.balancer == name);
        let cells = overview_row(name, &loads, &of_name.collect::<Vec<_>>());
        write!(out, "{}", markdown_table::row(cells))?;
    }
    Ok(())
}

/// One balancer: a cell for each load, and the mean CPU time of the runs that did not diverge.
fn overview_row(name: &str, loads: &[f64], rows: &[&Row]) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    for &load in loads {
        cells.push(match rows.iter().find(|row| row.load == load) {
            Some(row) => {
                let simulated = row.simulated.map_or("–".into(), |figures| figures.short());
                let bad = row.failed + row.timed_out;
                let all = (bad + row.answered).max(1);
                let share = 100.0 * bad as f64 / all as f64;
                let failed = if bad > 0 {
                    format!(", {share:.1} % fail")
                } else {
                    String::new()
                };
                format!("{} ({simulated}){failed}", row.measured.short())
            }
            None => "–".to_owned(),
        });
    }
    // A run that was given up opens a connection for nearly every request.
    let finite = rows.iter().filter(|row| !row.measured.diverged);
    let cpu: Vec<f64> = finite.map(|row| row.cpu_us).collect();
    cells.push(if cpu.is_empty() {
        "–".to_owned()
    } else {
        format!("{:.0}", cpu.iter().sum::<f64>() / cpu.len() as f64)
    });
    cells
}
