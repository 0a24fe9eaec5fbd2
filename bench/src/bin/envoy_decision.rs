//! What a decision of the module for Envoy costs, with 1,000 hosts and without Envoy.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin envoy_decision                 # nanoseconds
//! valgrind --tool=callgrind target/release/envoy_decision --policy sed    # instructions
//! ```
//!
//! A worker decides and hands each lease over, as the filter that ends it takes it; the oldest of
//! 700 requests ends with each decision. With two threads, each is a worker of its own with the
//! same dispatcher, as in an Envoy with two worker threads: that is the case in which they wait for
//! one another.

use std::collections::VecDeque;
use std::hint::black_box;
use std::io::{self, Write};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use filch_balance::Told;
use filch_envoy::cluster::Cluster;
use filch_envoy::config::Config;
use filch_envoy::handoff::{self, Handed};
use filch_envoy::seen::SeenHost;
use filch_envoy::worker::Worker;
use filch_random::Seed;

#[derive(Debug, Parser)]
struct Args {
    /// Only this policy
    #[arg(long)]
    policy: Option<String>,
    /// Servers
    #[arg(long, default_value_t = 1000)]
    hosts: usize,
    /// Requests in flight, for each thread
    #[arg(long, default_value_t = 700)]
    in_flight: usize,
    /// Decisions of each thread
    #[arg(long, default_value_t = 200_000)]
    decisions: usize,
}

const POLICIES: [&str; 5] = ["idle-fastest(sed)", "sed", "jsq", "pi", "considerate"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let mut out = io::stdout();
    writeln!(
        out,
        "| policy | threads | decision ns | end ns |\n|---|---|---|---|"
    )?;
    for policy in POLICIES {
        if args.policy.as_deref().is_some_and(|only| only != policy) {
            continue;
        }
        for threads in [1, 2] {
            let (decision, end) = measure(&args, policy, threads)?;
            let nanos = |time: Duration| time.as_nanos() / (threads * args.decisions) as u128;
            writeln!(
                out,
                "| {policy} | {threads} | {} | {} |",
                nanos(decision),
                nanos(end)
            )?;
        }
    }
    Ok(())
}

/// The time that all threads spend on decisions and on ends.
fn measure(args: &Args, policy: &str, threads: usize) -> Result<(Duration, Duration), String> {
    let cluster = Cluster::new(Config::read(policy)?);
    let barrier = Arc::new(Barrier::new(threads));
    let workers = (0..threads).map(|number| {
        let (cluster, barrier) = (cluster.clone(), barrier.clone());
        let (hosts, in_flight, decisions) = (args.hosts, args.in_flight, args.decisions);
        thread::spawn(move || {
            let mut worker = Worker::new(cluster, Seed::new(number as u64));
            worker.see(&[(0..hosts).map(host).collect()]);
            let addresses: Vec<String> = (0..hosts).map(address).collect();
            let mut requests: VecDeque<Handed> = VecDeque::new();
            for _ in 0..in_flight {
                requests.push_back(decide(&mut worker, &addresses));
            }
            barrier.wait();
            let (mut deciding, mut ending) = (Duration::ZERO, Duration::ZERO);
            // In small lots, so that the clock is read seldom.
            const LOT: usize = 50;
            for _ in 0..decisions.div_ceil(LOT) {
                let began = Instant::now();
                for _ in 0..LOT {
                    requests.push_back(decide(&mut worker, &addresses));
                }
                let decided = Instant::now();
                for _ in 0..LOT {
                    if let Some(handed) = requests.pop_front() {
                        handed.lease.answered(Told::Silent);
                    }
                }
                deciding += decided - began;
                ending += decided.elapsed();
            }
            (deciding, ending)
        })
    });
    let workers: Vec<_> = workers.collect();
    let mut sum = (Duration::ZERO, Duration::ZERO);
    for worker in workers {
        let (deciding, ending) = worker.join().map_err(|_| "a worker panicked")?;
        sum = (sum.0 + deciding, sum.1 + ending);
    }
    Ok(sum)
}

/// A decision, and the lease as the filter gets it.
fn decide(worker: &mut Worker, addresses: &[String]) -> Handed {
    let choice = worker
        .choose(&())
        .expect("there are servers without limits");
    let address = &addresses[black_box(choice.index) as usize];
    handoff::claim(address).expect("the lease of this decision")
}

fn host(number: usize) -> SeenHost {
    SeenHost {
        address: address(number),
        weight: 1,
        healthy: Some(number as u32),
    }
}

fn address(number: usize) -> String {
    format!("10.0.{}.{}:80", number / 250, number % 250)
}
