//! What is printed.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::{self, Write};

use filch_balance::trial::Alarm;
use serde_json::json;

use crate::args::{Measure, Simulate};
use crate::balancers::Model;
use crate::figures::{Figures, plain};
use crate::measure::{self, Row};
use crate::setting::{Arrivals, Setting};
use crate::simulated;

/// Measures everything and prints the rows as they come, then the overview.
pub(crate) fn measure(request: &Measure) -> Result<(), Box<dyn Error>> {
    let mut versions = BTreeSet::new();
    let mut balancers = Vec::new();
    for balancer in &request.balancers {
        if request.list {
            writeln!(io::stdout(), "{}", balancer.name())?;
            continue;
        }
        match balancer.version() {
            Ok(version) => {
                versions.insert(version);
                balancers.push(balancer);
            }
            Err(missing) => say(&format!("left out {}: {missing}", balancer.name()))?,
        }
    }
    if request.list {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let alarm = Alarm::start();
    let mut rows: Vec<Row> = Vec::new();
    if !request.json {
        head()?;
    }
    // Setting by setting: balancers that are compared run soon after one another.
    for setting in &request.settings {
        for balancer in &balancers {
            say(&format!("{}: {}", setting.name(), balancer.name()))?;
            match runtime.block_on(measure::measure(balancer, setting, &alarm)) {
                Ok(row) => {
                    if !request.json {
                        print(&row)?;
                    }
                    rows.push(row);
                }
                Err(error) => say(&format!("left out {}: {error}", balancer.name()))?,
            }
        }
    }
    let mut out = io::stdout().lock();
    if request.json {
        let versions: Vec<_> = versions.into_iter().collect();
        serde_json::to_writer(&mut out, &json!({ "versions": versions, "rows": rows }))?;
        return Ok(writeln!(out)?);
    }
    writeln!(out)?;
    for version in versions {
        writeln!(out, "- {version}")?;
    }
    for arrivals in [Arrivals::Poisson, Arrivals::Batches] {
        overview(&mut out, &rows, arrivals)?;
    }
    Ok(())
}

fn say(message: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{message}")
}

fn head() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| balancer | arrivals | load | mean | p50 | p99 | p99.9 | simulated mean / p99 | answered | bad | open | excluded | CPU µs |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|---|---|---|---|---|---|")
}

fn print(row: &Row) -> io::Result<()> {
    let Figures {
        mean,
        p50,
        p99,
        p999,
        diverged,
    } = row.measured;
    let latencies = if diverged {
        "diverges | | |".to_owned()
    } else {
        let all = [mean, p50, p99, p999].map(plain);
        format!("{} |", all.join(" | "))
    };
    let simulated = row.simulated.map_or("–".into(), |figures| figures.short());
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| {} | {:?} | {} | {latencies} {simulated} | {} | {} | {} | {} | {:.0} |",
        row.balancer,
        row.arrivals,
        row.load,
        row.answered,
        row.failed + row.timed_out,
        row.unfinished,
        row.excluded,
        row.cpu_us,
    )?;
    out.flush()
}

/// Mean / p99 by balancer and load, measured and simulated.
fn overview(out: &mut impl Write, rows: &[Row], arrivals: Arrivals) -> io::Result<()> {
    let rows: Vec<_> = rows.iter().filter(|row| row.arrivals == arrivals).collect();
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
    write!(
        out,
        "\n{arrivals:?}, mean / p99 in ms (simulated)\n\n| balancer |"
    )?;
    loads
        .iter()
        .try_for_each(|load| write!(out, " {:.0} % |", load * 100.0))?;
    writeln!(out, " CPU µs |\n|---|{}---|", "---|".repeat(loads.len()))?;
    for name in names {
        write!(out, "| {name} |")?;
        let mut cpu = Vec::new();
        for &load in &loads {
            match rows
                .iter()
                .find(|row| row.balancer == name && row.load == load)
            {
                Some(row) => {
                    let simulated = row.simulated.map_or("–".into(), |figures| figures.short());
                    write!(out, " {} ({simulated}) |", row.measured.short())?;
                    // A run that was given up opens a connection for nearly every request.
                    if !row.measured.diverged {
                        cpu.push(row.cpu_us);
                    }
                }
                None => write!(out, " – |")?,
            }
        }
        if cpu.is_empty() {
            writeln!(out, " – |")?;
        } else {
            let cpu = cpu.iter().sum::<f64>() / cpu.len() as f64;
            writeln!(out, " {cpu:.0} |")?;
        }
    }
    Ok(())
}

/// Long simulations of policies with one, two and eight dispatchers, speeds known and learned.
pub(crate) fn simulate(request: &Simulate) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    let mut all = Vec::new();
    if !request.json {
        write!(out, "| policy | dispatchers | speeds |")?;
        for setting in &request.settings {
            write!(out, " {} |", setting.name())?;
        }
        writeln!(
            out,
            "\n|---|---|---|{}",
            "---|".repeat(request.settings.len())
        )?;
    }
    for &policy in &request.policies {
        for dispatchers in [1, 2, 8] {
            for learned in [false, true] {
                if learned && !policy.needs().speeds {
                    continue;
                }
                let model = Model {
                    policy,
                    dispatchers,
                    learned,
                };
                let speeds = match (policy.needs().speeds, learned) {
                    (false, _) => "–",
                    (true, false) => "known",
                    (true, true) => "learned",
                };
                let figures = together(&request.settings, model);
                if request.json {
                    let settings = request.settings.iter().map(Setting::name);
                    let cells: Vec<_> = settings.zip(&figures).collect();
                    all.push(json!({
                        "policy": policy.to_string(),
                        "dispatchers": dispatchers,
                        "speeds": speeds,
                        "figures": cells,
                    }));
                    continue;
                }
                write!(out, "| {policy} | {dispatchers} | {speeds} |")?;
                for figures in figures {
                    write!(out, " {} |", figures.short())?;
                }
                writeln!(out)?;
                out.flush()?;
            }
        }
    }
    if request.json {
        serde_json::to_writer(&mut out, &json!({ "simulated": all }))?;
        writeln!(out)?;
    }
    Ok(())
}

/// One model in all settings, side by side.
fn together(settings: &[Setting], model: Model) -> Vec<Figures> {
    let mut figures = vec![Figures::default(); settings.len()];
    filch::scope(|scope| {
        for (setting, figures) in settings.iter().zip(&mut figures) {
            scope.spawn(move |_| *figures = simulated::figures(setting, model));
        }
    });
    figures
}
