//! What a request costs a balancer's process: clients on kept connections ask again as soon as they
//! are answered, and servers answer at once.

use std::cell::Cell;
use std::error::Error;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use filch_report::markdown_table::{self, Align};
use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

use crate::args::ClosedLoop;
use crate::balancers::Candidate;
use crate::instant::{ask, start_server};
use crate::measured_table::{installed, list, say};

const SERVERS: usize = 4;
const WARM_UP: Duration = Duration::from_secs(1);

/// What one balancer used.
#[derive(Clone, Debug, Serialize)]
struct Used {
    balancer: String,
    connections: usize,
    requests_per_second: f64,
    /// Microseconds for each request.
    user_us: f64,
    system_us: f64,
}

/// Measures every candidate and prints the table.
pub(crate) fn print(task: &ClosedLoop) -> Result<(), Box<dyn Error>> {
    if task.list {
        return list(&task.candidates);
    }
    let (candidates, versions) = installed(&task.candidates)?;
    let mut rows = Vec::new();
    for candidate in candidates {
        match measure(candidate, task) {
            Ok(used) => rows.push(used),
            Err(error) => say(&format!("left out {}: {error}", candidate.name()))?,
        }
    }
    let mut out = io::stdout().lock();
    if task.json {
        let versions: Vec<_> = versions.into_iter().collect();
        serde_json::to_writer(
            &mut out,
            &json!({ "versions": versions, "closed_loop": rows }),
        )?;
        return Ok(writeln!(out)?);
    }
    for version in versions {
        writeln!(out, "- {version}")?;
    }
    writeln!(out)?;
    let titles = [
        "balancer",
        "requests per second",
        "CPU µs per request",
        "user",
        "system",
    ];
    let columns = titles.map(|title| (title.to_owned(), Align::Left));
    write!(out, "{}", markdown_table::head(&columns))?;
    for row in rows {
        let times = [row.user_us + row.system_us, row.user_us, row.system_us];
        let times = times.map(|time| format!("{time:.1}"));
        let cells = [row.balancer, format!("{:.0}", row.requests_per_second)];
        write!(
            out,
            "{}",
            markdown_table::row(cells.into_iter().chain(times))
        )?;
    }
    Ok(())
}

/// Clients and servers share one thread, so that the balancer has the other processor of two.
fn measure(candidate: &Candidate, task: &ClosedLoop) -> Result<Used, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async {
        let mut servers = Vec::new();
        for _ in 0..SERVERS {
            servers.push(start_server().await?);
        }
        let folder = TempDir::new()?;
        let running = {
            let (candidate, folder) = (candidate.clone(), folder.path().to_owned());
            let start = move || candidate.start(&servers, &[1.0; SERVERS], &folder);
            // Blocking: it waits until the balancer listens.
            tokio::task::spawn_blocking(start).await??
        };
        let answered = Rc::new(Cell::new(0));
        let mut clients = Vec::new();
        for at in 0..task.connections {
            let entry = running.entries[at % running.entries.len()];
            clients.push(spawn_local(ask(entry, Rc::clone(&answered))));
        }
        sleep(WARM_UP).await;
        let (begun, before, count) = (Instant::now(), running.cpu_times(), answered.get());
        sleep(task.measured).await;
        let (took, after) = (begun.elapsed(), running.cpu_times());
        let requests = (answered.get() - count) as f64;
        for client in clients {
            if client.is_finished() {
                // No client ends by itself.
                client.await??;
            }
        }
        let each = |time: Duration| time.as_secs_f64() * 1e6 / requests;
        tokio::task::spawn_blocking(move || drop(running)).await?;
        Ok(Used {
            balancer: candidate.name(),
            connections: task.connections,
            requests_per_second: requests / took.as_secs_f64(),
            user_us: each(after.user - before.user),
            system_us: each(after.system - before.system),
        })
    })
}
