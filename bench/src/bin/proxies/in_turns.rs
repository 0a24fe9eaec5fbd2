//! What a request costs one balancer beside another: all of them run at once, and the closed loop
//! asks them in turns, so that they share whatever else the machine does. A turn is a number of
//! requests, the same for all.
//!
//! Two processes of the same program and configuration differ by some percent for as long as they
//! run: their memory lies elsewhere. So all are started anew a number of times. The rounds of one
//! start give one value, their median, and the interval of the ratio is that of the median over
//! starts. The first balancer takes part twice, and the others are compared with the mean of the
//! two. The ratio of its own two is the control: its interval should contain 1, and be narrow.
//!
//! A round is left out if the machine disturbed one of its turns: whether it did is read off the
//! scheduler and the hypervisor, not off what was measured.

use std::error::Error;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use filch_report::markdown_table::{self, Align};
use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use tokio::task::LocalSet;
use tokio::time::sleep;

use crate::args::InTurns;
use crate::balancers::{BalancerProcess, Candidate};
use crate::cpu;
use crate::instant::{Connection, ask_all, start_server};
use crate::measured_table::{installed, say};
use crate::median::{interval, median};
use crate::processors::{Processors, stay_on};

const SERVERS: usize = 20;
/// Requests after a start, and before each turn, that do not count.
const START_WARM_UP: u64 = 5000;
const TURN_WARM_UP: u64 = 300;
/// After its last answer a balancer tidies up; the time of a thread is exact once it sleeps.
const SETTLES: Duration = Duration::from_millis(2);
/// A turn is disturbed if the balancer or the load waited for a processor for more than this share
/// of it, or if the hypervisor stole as much.
const DISTURBED: f64 = 0.02;
/// A start with fewer undisturbed rounds does not count.
const FEWEST_ROUNDS: usize = 5;

/// One balancer, started.
struct Entrant {
    running: BalancerProcess,
    connections: Vec<Connection>,
    _folder: TempDir,
}

/// One turn of a balancer.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Microseconds of processor time for each request.
    cost: f64,
    disturbed: bool,
}

/// A turn of each balancer: the first, the first again, the others.
type Round = Vec<Turn>;

/// What one balancer used.
#[derive(Debug, Serialize)]
struct Cost {
    balancer: String,
    /// Microseconds of processor time for each request, by start: medians over rounds.
    cpu_us: Vec<f64>,
    /// Over what the first used in the same round, by start: medians over rounds.
    ratios: Vec<f64>,
    /// Medians over starts.
    median_us: f64,
    ratio: f64,
    /// At 95 %.
    interval: Option<[f64; 2]>,
    /// With the disturbed rounds.
    ratio_of_all_rounds: f64,
}

/// Measures the candidates and prints the table.
pub(crate) fn print(task: &InTurns) -> Result<(), Box<dyn Error>> {
    let (candidates, versions) = installed(&task.candidates)?;
    let processors = Processors::apart()?;
    if let Some(processors) = processors {
        stay_on(processors.load)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut starts = Vec::new();
    for start in 1..=task.starts {
        say(&format!("start {start} of {}", task.starts))?;
        let measured = measure(&candidates, task, processors);
        // Clients and servers share one thread, so that the balancer has a processor of its own.
        starts.push(LocalSet::new().block_on(&runtime, measured)?);
    }
    let names = candidates.iter().map(|it| it.name());
    let again = candidates.first().map(|it| format!("{}, again", it.name()));
    let mut names: Vec<String> = names.collect();
    names.splice(1..1, again);
    let costs: Vec<Cost> = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| cost(at, name, &starts))
        .collect();
    let rounds = starts.iter().flatten().count();
    let kept = starts
        .iter()
        .flatten()
        .filter(|round| undisturbed(round))
        .count();
    if task.json {
        let versions: Vec<_> = versions.into_iter().collect();
        let mut out = io::stdout().lock();
        let all = json!({
            "versions": versions, "requests": task.requests, "connections": task.connections,
            "rounds": rounds, "undisturbed": kept, "in_turns": costs,
        });
        serde_json::to_writer(&mut out, &all)?;
        return Ok(writeln!(out)?);
    }
    let mut out = io::stdout().lock();
    for version in versions {
        writeln!(out, "- {version}")?;
    }
    match processors {
        Some(Processors { balancers, load }) => writeln!(
            out,
            "- balancers on processor {balancers}, clients and servers on processor {load}"
        )?,
        None => writeln!(out, "- one processor for all")?,
    }
    writeln!(
        out,
        "- {} starts of {} rounds; {} requests in each turn, on {} connections",
        task.starts, task.rounds, task.requests, task.connections
    )?;
    writeln!(
        out,
        "- {kept} of {rounds} rounds count: in the others the balancer or the load waited for a \
         processor for more than {} % of a turn, or the hypervisor stole as much",
        DISTURBED * 100.0,
    )?;
    writeln!(out)?;
    print_table(&mut out, &costs)?;
    if let Some(limit) = task.at_most {
        writeln!(out)?;
        for cost in costs.iter().skip(2) {
            let verdict = match cost.interval {
                Some([_, high]) if high <= limit => "yes",
                Some([low, _]) if low > limit => "no",
                _ => "not settled",
            };
            writeln!(out, "{}, at most {limit}: {verdict}", cost.balancer)?;
        }
    }
    Ok(())
}

fn print_table(out: &mut impl Write, costs: &[Cost]) -> io::Result<()> {
    let titles = [
        "balancer",
        "CPU µs per request",
        "of the first",
        "95 % interval",
        "with disturbed rounds",
    ];
    let columns = titles.map(|title| (title.to_owned(), Align::Left));
    write!(out, "{}", markdown_table::head(&columns))?;
    for cost in costs {
        let interval = match cost.interval {
            Some([low, high]) => format!("{low:.3} to {high:.3}"),
            None => "too few starts".to_owned(),
        };
        let cells = [
            cost.balancer.clone(),
            shown(cost.median_us, 2),
            shown(cost.ratio, 3),
            interval,
            shown(cost.ratio_of_all_rounds, 3),
        ];
        write!(out, "{}", markdown_table::row(cells))?;
    }
    Ok(())
}

/// A number; none if no round counts.
fn shown(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "–".to_owned();
    }
    format!("{value:.decimals$}")
}

/// Starts all balancers, and has them take turns.
async fn measure(
    candidates: &[&Candidate],
    task: &InTurns,
    processors: Option<Processors>,
) -> Result<Vec<Round>, Box<dyn Error>> {
    let first = candidates.iter().take(1);
    let mut entrants = Vec::new();
    for &candidate in first.chain(candidates) {
        entrants.push(enter(candidate, task, processors).await?);
    }
    let mut rounds = Vec::new();
    for round in 0..task.rounds {
        // Each is in each place as often as any other, and follows each as often.
        let mut order: Vec<usize> = (0..entrants.len()).collect();
        order.rotate_left(round / 2 % entrants.len());
        if round % 2 == 1 {
            order.reverse();
        }
        let mut turns = vec![None; entrants.len()];
        for at in order {
            turns[at] = Some(take_turn(&mut entrants[at], task.requests).await?);
        }
        rounds.push(turns.into_iter().flatten().collect());
    }
    // Blocking: it waits until the balancers have ended.
    tokio::task::spawn_blocking(move || drop(entrants)).await?;
    Ok(rounds)
}

/// Starts a balancer in front of servers of its own.
async fn enter(
    candidate: &Candidate,
    task: &InTurns,
    processors: Option<Processors>,
) -> Result<Entrant, Box<dyn Error>> {
    let mut servers = Vec::new();
    for _ in 0..SERVERS {
        servers.push(start_server().await?);
    }
    let folder = TempDir::new()?;
    let running = {
        let (candidate, folder) = (candidate.clone(), folder.path().to_owned());
        let start = move || {
            if let Some(processors) = processors {
                // The balancer inherits it.
                stay_on(processors.balancers)?;
            }
            let started = candidate.start(&servers, &[1.0; SERVERS], &folder);
            if let Some(processors) = processors {
                stay_on(processors.load)?;
            }
            started
        };
        // Blocking: it waits until the balancer listens.
        tokio::task::spawn_blocking(start).await??
    };
    let mut connections = Vec::new();
    for at in 0..task.connections {
        let entry = running.entries[at % running.entries.len()];
        connections.push(Connection::open(entry).await?);
    }
    ask_all(&mut connections, START_WARM_UP).await?;
    Ok(Entrant {
        running,
        connections,
        _folder: folder,
    })
}

/// A number of requests. Before it and after it the balancer has none.
async fn take_turn(entrant: &mut Entrant, requests: u64) -> io::Result<Turn> {
    ask_all(&mut entrant.connections, TURN_WARM_UP).await?;
    sleep(SETTLES).await;
    let look = |entrant: &Entrant| {
        let load = cpu::scheduled(std::process::id());
        (entrant.running.scheduled(), load, cpu::stolen())
    };
    let (balancer, load, stolen) = look(entrant);
    let began = Instant::now();
    ask_all(&mut entrant.connections, requests).await?;
    let took = began.elapsed();
    sleep(SETTLES).await;
    let (balancer_after, load_after, stolen_after) = look(entrant);
    let used = balancer_after - balancer;
    let waited = Duration::from_nanos(used.waited.max((load_after - load).waited));
    let lost = waited.max(stolen_after.saturating_sub(stolen));
    Ok(Turn {
        cost: used.ran as f64 * 1e-3 / requests as f64,
        disturbed: lost.as_secs_f64() > DISTURBED * took.as_secs_f64(),
    })
}

fn undisturbed(round: &Round) -> bool {
    round.iter().all(|turn| !turn.disturbed)
}

/// What the balancer at this place of all rounds used.
fn cost(at: usize, balancer: String, starts: &[Vec<Round>]) -> Cost {
    let kept = |rounds: &Vec<Round>| -> Vec<Round> {
        rounds
            .iter()
            .filter(|round| undisturbed(round))
            .cloned()
            .collect()
    };
    let enough = starts
        .iter()
        .map(kept)
        .filter(|rounds| rounds.len() >= FEWEST_ROUNDS);
    let enough: Vec<Vec<Round>> = enough.collect();
    let of_start = |of: fn(usize, &Round) -> f64, rounds: &Vec<Round>| {
        median(&rounds.iter().map(|round| of(at, round)).collect::<Vec<_>>())
    };
    let ratios = |starts: &[Vec<Round>]| -> Vec<f64> {
        starts
            .iter()
            .map(|rounds| of_start(ratio, rounds))
            .collect()
    };
    let cpu_us: Vec<f64> = enough
        .iter()
        .map(|rounds| of_start(|at, round| round[at].cost, rounds))
        .collect();
    let kept = ratios(&enough);
    Cost {
        balancer,
        median_us: median(&cpu_us),
        ratio: median(&kept),
        interval: interval(&kept),
        ratio_of_all_rounds: median(&ratios(starts)),
        cpu_us,
        ratios: kept,
    }
}

/// The first's second turn over its first, and what others used over the mean of the two.
fn ratio(at: usize, round: &Round) -> f64 {
    let (first, again) = (round[0].cost, round[1].cost);
    match at {
        0 => 1.0,
        1 => again / first,
        _ => round[at].cost / f64::midpoint(first, again),
    }
}
