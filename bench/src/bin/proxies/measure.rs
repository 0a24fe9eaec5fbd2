use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use filch_balance::trial::{Alarm, Caps, Plan, Record, Summary, ToyServer, WebClient, run};
use serde::Serialize;
use tempfile::TempDir;

use crate::balancers::Candidate;
use crate::figures::Figures;
use crate::setting::{ArrivalKind, Servers, Setting};
use crate::simulated_dispatcher;

/// One balancer in one setting.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) balancer: String,
    pub(crate) servers: Servers,
    pub(crate) arrivals: ArrivalKind,
    pub(crate) load: f64,
    pub(crate) measured: Figures,
    /// What the simulator predicts from the same arrivals and service times.
    pub(crate) simulated: Option<Figures>,
    pub(crate) answered: usize,
    pub(crate) failed: usize,
    pub(crate) timed_out: usize,
    pub(crate) unfinished: usize,
    /// Requests left out because the machine stalled around their start.
    pub(crate) excluded: usize,
    pub(crate) stalls: usize,
    /// The balancer's processor time for each request, in microseconds.
    pub(crate) cpu_us: f64,
}

/// Starts new servers and the balancer, and puts the load on them.
pub(crate) async fn measure(
    candidate: &Candidate,
    setting: &Setting,
    alarm: &Alarm,
) -> Result<Row, Box<dyn Error>> {
    let mut servers = Vec::new();
    for (index, toy) in setting.servers.toys().into_iter().enumerate() {
        let server = ToyServer::start_kind(toy, setting.seed, index as u64, true, alarm);
        servers.push(server.await?);
    }
    let addresses: Vec<SocketAddr> = servers.iter().map(ToyServer::address).collect();
    let folder = TempDir::new()?;
    let running = {
        let (candidate, folder) = (candidate.clone(), folder.path().to_owned());
        // Blocking: it waits until the balancer listens.
        let weights = setting.servers.weights();
        let start = move || candidate.start(&addresses, &weights, &folder);
        tokio::task::spawn_blocking(start).await??
    };
    let plan = Plan::draw(
        setting.times(),
        setting.warm_up + setting.measured,
        candidate.dispatchers(),
        setting.seed,
        0,
    );
    let caps = Caps {
        open: setting.most_open,
        timeout: Duration::from_secs(60),
        ..Caps::default()
    };
    let client = WebClient::to(running.entries.iter().copied());
    let before = running.cpu();
    let record = run(&plan, alarm, caps, |entry| client.get(entry)).await;
    let used = running.cpu().saturating_sub(before);
    drop(client);
    tokio::task::spawn_blocking(move || drop(running)).await?;
    Ok(row(candidate, setting, &record, used))
}

fn row(candidate: &Candidate, setting: &Setting, record: &Record, used: Duration) -> Row {
    let summary = record.summary_between(setting.warm_up, Duration::MAX);
    let Summary {
        answered,
        failed,
        timed_out,
        unfinished,
        excluded,
        ..
    } = summary;
    // A balancer that leaves more than one request in a hundred open was on its way to the cap.
    let diverged = record.gave_up.is_some() || 100 * unfinished > answered;
    Row {
        balancer: candidate.name(),
        servers: setting.servers,
        arrivals: setting.arrivals,
        load: setting.load,
        measured: Figures::new(&summary, diverged),
        simulated: candidate
            .model()
            .map(|model| simulated_dispatcher::figures(setting, model)),
        answered,
        failed,
        timed_out,
        unfinished,
        excluded,
        stalls: record.stalls.len(),
        cpu_us: used.as_secs_f64() * 1e6 / record.samples.len().max(1) as f64,
    }
}
