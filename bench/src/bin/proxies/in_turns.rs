//! What a request costs one balancer beside another: all of them run at once, and the closed loop
//! asks them in turns, so that they share whatever else the machine does. The first balancer takes
//! part twice: how far its second row is from 1 is the noise.

use std::cell::Cell;
use std::error::Error;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use filch_report::markdown_table::{self, Align};
use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::sleep;

use crate::args::InTurns;
use crate::balancers::{BalancerProcess, Candidate};
use crate::instant::{ask, start_server};
use crate::measured_table::installed;

const SERVERS: usize = 20;
/// After the connections of a turn are opened, before it counts.
const WARM_UP: Duration = Duration::from_millis(300);

/// One balancer.
struct Entrant {
    name: String,
    running: BalancerProcess,
    /// Microseconds of processor time for each request, by round.
    costs: Vec<f64>,
    _folder: TempDir,
}

/// What one balancer used.
#[derive(Debug, Serialize)]
struct Cost {
    balancer: String,
    /// Microseconds of processor time for each request, by round.
    cpu_us: Vec<f64>,
    median_us: f64,
    /// Over the first balancer's in the same round: the median, and the quartiles.
    ratio: f64,
    quartiles: [f64; 2],
}

/// Measures the candidates and prints the table.
pub(crate) fn print(task: &InTurns) -> Result<(), Box<dyn Error>> {
    let (candidates, versions) = installed(&task.candidates)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // Clients and servers share one thread, so that the balancer has the other processor of two.
    let entrants = LocalSet::new().block_on(&runtime, measure(&candidates, task))?;
    let costs = costs(&entrants);
    let mut out = io::stdout().lock();
    if task.json {
        let versions: Vec<_> = versions.into_iter().collect();
        serde_json::to_writer(
            &mut out,
            &json!({ "versions": versions, "in_turns": costs }),
        )?;
        return Ok(writeln!(out)?);
    }
    for version in versions {
        writeln!(out, "- {version}")?;
    }
    writeln!(out)?;
    let titles = [
        "balancer",
        "CPU µs per request",
        "of the first",
        "quartiles",
    ];
    let columns = titles.map(|title| (title.to_owned(), Align::Left));
    write!(out, "{}", markdown_table::head(&columns))?;
    for cost in costs {
        let [low, high] = cost.quartiles;
        let cells = [
            cost.balancer,
            format!("{:.2}", cost.median_us),
            format!("{:.3}", cost.ratio),
            format!("{low:.3} to {high:.3}"),
        ];
        write!(out, "{}", markdown_table::row(cells))?;
    }
    Ok(())
}

async fn measure(
    candidates: &[&Candidate],
    task: &InTurns,
) -> Result<Vec<Entrant>, Box<dyn Error>> {
    let mut entrants = Vec::new();
    for &candidate in candidates {
        entrants.push(enter(candidate, candidate.name()).await?);
        if entrants.len() == 1 {
            entrants.push(enter(candidate, format!("{}, again", candidate.name())).await?);
        }
    }
    for round in 0..task.rounds {
        // Each begins as often as any other.
        for turn in 0..entrants.len() {
            let at = (round + turn) % entrants.len();
            let cost = take_turn(&entrants[at].running, task).await?;
            entrants[at].costs.push(cost);
        }
    }
    Ok(entrants)
}

/// Starts a balancer in front of servers of its own.
async fn enter(candidate: &Candidate, name: String) -> Result<Entrant, Box<dyn Error>> {
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
    Ok(Entrant {
        name,
        running,
        costs: Vec::new(),
        _folder: folder,
    })
}

/// Microseconds of processor time for each request of a turn.
async fn take_turn(running: &BalancerProcess, task: &InTurns) -> Result<f64, Box<dyn Error>> {
    let answered = Rc::new(Cell::new(0));
    let clients: Vec<JoinHandle<io::Result<()>>> = (0..task.connections)
        .map(|at| running.entries[at % running.entries.len()])
        .map(|entry| spawn_local(ask(entry, Rc::clone(&answered))))
        .collect();
    sleep(WARM_UP).await;
    let (before, count) = (running.cpu(), answered.get());
    sleep(task.turn).await;
    let (after, requests) = (running.cpu(), answered.get() - count);
    for client in clients {
        if client.is_finished() {
            // No client ends by itself.
            client.await??;
        } else {
            client.abort();
        }
    }
    Ok((after - before).as_secs_f64() * 1e6 / requests as f64)
}

fn costs(entrants: &[Entrant]) -> Vec<Cost> {
    let first = &entrants[0].costs;
    let cost = |entrant: &Entrant| {
        let mut ratios: Vec<f64> = entrant
            .costs
            .iter()
            .zip(first)
            .map(|(a, b)| a / b)
            .collect();
        let mut sorted = entrant.costs.clone();
        Cost {
            balancer: entrant.name.clone(),
            cpu_us: entrant.costs.clone(),
            median_us: quantile(&mut sorted, 0.5),
            ratio: quantile(&mut ratios, 0.5),
            quartiles: [0.25, 0.75].map(|q| quantile(&mut ratios, q)),
        }
    };
    entrants.iter().map(cost).collect()
}

/// By linear interpolation between the values around it.
fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = q * (values.len() - 1) as f64;
    let (low, high) = (
        values[place.floor() as usize],
        values[place.ceil() as usize],
    );
    low + (high - low) * place.fract()
}
