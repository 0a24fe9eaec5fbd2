//! `filch proxy demo`: toy servers, dispatchers and a load, all in this process but over real
//! sockets.
//!
//! Each policy has ten servers of its own and the same requests at the same instants, and all run
//! at once, so that their latencies can be watched side by side.

mod descriptors;
mod dispatcher;
mod growth;
mod live;
mod stand;
mod summary;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use filch_balance::trial::{Alarm, Caps, Plan};
use filch_workload::ArrivalTimes;
use tokio::task::JoinSet;

use crate::args::DemoArgs;
use crate::failure::Failure;
use crate::output;
use live::{Lane, Screen};
use stand::Stand;
use summary::DemoSummary;

/// With more requests than this at once the load is taken off.
const MOST_OPEN: usize = 1000;

pub(crate) fn run(options: &DemoArgs) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::run(format!("cannot start threads: {error}")))?;
    let summary = runtime.block_on(show(options))?;
    // Requests that are still open need not be waited for.
    runtime.shutdown_background();
    if options.simulation.json {
        output::print_json(&summary)
    } else {
        output::print(&summary.table())
    }
}

async fn show(options: &DemoArgs) -> Result<DemoSummary, Failure> {
    let caps = Caps {
        // A request has a connection, and both of its ends are ours.
        open: descriptors::available(MOST_OPEN, 2 * options.policy.0.len()),
        timeout: options.length() + Duration::from_secs(30),
        drain: Duration::from_secs(2),
    };
    let alarm = Alarm::start();
    let rate = options.load() * stand::capacity();
    let times = ArrivalTimes::new(rate, 1).expect("a load above 0");
    let seed = options.simulation.seed;
    let plan = Plan::draw(times, options.length(), options.dispatchers(), seed, 0);
    let plan = Arc::new(plan);

    let mut lanes = Vec::new();
    let mut runs = JoinSet::new();
    for policy in &options.policy.0 {
        let stand = Stand::start(*policy, options, &alarm).await;
        let stand = stand
            .map_err(|error| Failure::run(format!("cannot listen on a loopback port: {error}")))?;
        let lane = Arc::new(Mutex::new(Lane::new(*policy)));
        lanes.push(lane.clone());
        let (plan, alarm) = (plan.clone(), alarm.clone());
        runs.spawn(async move { stand.run(&plan, &alarm, caps, &lane).await });
    }
    let screen = Screen::new(options, lanes.clone());
    let shown = async {
        while let Some(run) = runs.join_next().await {
            run.map_err(|error| Failure::run(format!("a run of the demo failed: {error}")))?;
        }
        Ok(false)
    };
    let interrupted = tokio::select! {
        ended = shown => ended?,
        // Where there is no such signal, the demo ends by itself.
        Ok(()) = tokio::signal::ctrl_c() => true,
        () = screen.draw() => false,
    };
    screen.clear();
    Ok(DemoSummary::of(options, interrupted, &lanes))
}
