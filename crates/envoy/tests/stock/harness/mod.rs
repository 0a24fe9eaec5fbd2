//! Envoys, servers and clients.

mod client;
mod config;
mod envoy;
mod server;
mod stats;

use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(crate) use client::Client;
pub(crate) use config::Config;
pub(crate) use envoy::{Envoy, publish};
pub(crate) use server::{Mood, Server};
pub(crate) use stats::Stats;

/// For how long a test waits for what must come. Long, since machines may be busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// An Envoy as it comes from its wheel.
#[derive(Clone, Debug)]
pub(crate) struct Stock {
    pub(crate) version: String,
    pub(crate) program: PathBuf,
}

/// Runs a test with every Envoy there is, and says which, for a test that fails.
#[allow(clippy::print_stdout)]
pub(crate) fn with_each(test: impl AsyncFn(&Stock)) {
    let envoys = std::env::var("FILCH_ENVOYS").unwrap_or_default();
    let envoys: Vec<Stock> = envoys.split_whitespace().map(parse).collect();
    assert!(
        !envoys.is_empty(),
        "FILCH_ENVOYS names no Envoys: run .ci/envoy, which fetches them"
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    for envoy in &envoys {
        println!("Envoy {}", envoy.version);
        runtime.block_on(test(envoy));
    }
}

fn parse(word: &str) -> Stock {
    let (version, program) = word.split_once('=').expect("VERSION=PROGRAM");
    Stock {
        version: version.to_owned(),
        program: program.into(),
    }
}

/// Waits until something is so.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
