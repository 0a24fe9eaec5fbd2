//! What a decision of the module for Envoy costs, with 1,000 hosts and without Envoy.
//!
//! ```sh
//! cargo run --release -p filch-bench --bin envoy_decision                 # nanoseconds
//! valgrind --tool=callgrind target/release/envoy_decision --policy sed    # instructions
//! ```
//!
//! A worker decides and hands each lease over, as the filter that ends it takes it; the oldest of
//! 700 requests ends with each decision. With several threads, each is a worker of its own with the
//! same dispatcher, as in an Envoy with as many worker threads: that is the case in which they wait
//! for one another.
//!
//! Without a pause threads do nothing but decide, and wait for one another most of the time; they
//! are timed in lots of 50. With `--pause` each computes for so long after every decision and every
//! end, as an Envoy does with its requests. Then each is timed alone, a reading of the clock
//! included.

use std::collections::VecDeque;
use std::hint::{self, black_box};
use std::io::{self, Write};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use filch_balance::{LeaseEnd, Outcome, Told};
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
    /// Decisions of all threads
    #[arg(long, default_value_t = 400_000)]
    decisions: usize,
    /// Numbers of worker threads
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
    /// Microseconds that a thread computes after every decision and every end
    #[arg(long, default_value_t = 0)]
    pause: u64,
}

const POLICIES: [&str; 5] = ["idle-fastest(sed)", "sed", "jsq", "pi", "considerate"];

/// So many decisions are timed together if there is no pause between them.
const LOT: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let mut out = io::stdout();
    writeln!(
        out,
        "| policy | threads | decision ns: mean | p50 | p99 | end ns: mean | p50 | p99 | alone, % |\n\
         |---|---|---|---|---|---|---|---|---|"
    )?;
    for policy in POLICIES {
        if args.policy.as_deref().is_some_and(|only| only != policy) {
            continue;
        }
        for &threads in &args.threads {
            let measured = measure(&args, policy, threads)?;
            let [decisions, ends] = [measured.decisions, measured.ends].map(summary);
            let alone = 100.0 * measured.alone;
            writeln!(
                out,
                "| {policy} | {threads} | {decisions} | {ends} | {alone:.2} |"
            )?;
        }
    }
    Ok(())
}

/// Times in nanoseconds.
#[derive(Debug, Default)]
struct Measured {
    decisions: Vec<f64>,
    ends: Vec<f64>,
    /// The share of the decisions that did not wait for another thread, and not for the policy.
    alone: f64,
}

/// Mean, median and 99th percentile, as cells of the table.
fn summary(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let quantile = |q: f64| times[(q * (times.len() - 1) as f64) as usize];
    format!("{mean:.0} | {:.0} | {:.0}", quantile(0.5), quantile(0.99))
}

fn measure(args: &Args, policy: &str, threads: usize) -> Result<Measured, String> {
    let cluster = Cluster::new(Config::read(policy)?);
    let barrier = Arc::new(Barrier::new(threads));
    let pause = Duration::from_micros(args.pause);
    let lot = if args.pause == 0 { LOT } else { 1 };
    let lots = args.decisions.div_ceil(threads * lot);
    let workers = (0..threads).map(|number| {
        let (cluster, barrier) = (cluster.clone(), barrier.clone());
        let (hosts, in_flight) = (args.hosts, args.in_flight);
        thread::spawn(move || {
            let mut worker = Worker::new(cluster, Seed::new(number as u64));
            worker.see(&[(0..hosts).map(host).collect()]);
            let addresses: Vec<String> = (0..hosts).map(address).collect();
            let mut requests: VecDeque<Handed> = VecDeque::new();
            for _ in 0..in_flight {
                requests.push_back(decide(&mut worker, &addresses));
            }
            barrier.wait();
            let mut times = Measured::default();
            for _ in 0..lots {
                let began = Instant::now();
                for _ in 0..lot {
                    requests.push_back(decide(&mut worker, &addresses));
                }
                times.decisions.push(each(began, lot));
                compute(pause);
                let began = Instant::now();
                for _ in 0..lot {
                    if let Some(mut handed) = requests.pop_front() {
                        handed.give_back(LeaseEnd::Answered(Outcome::Good, Told::Silent));
                    }
                }
                times.ends.push(each(began, lot));
                compute(pause);
            }
            times
        })
    });
    let workers: Vec<_> = workers.collect();
    let mut all = Measured::default();
    for worker in workers {
        let times = worker.join().map_err(|_| "a worker panicked")?;
        all.decisions.extend(times.decisions);
        all.ends.extend(times.ends);
    }
    let state = cluster.level(0).balancer().state();
    all.alone = state.alone as f64 / state.decisions as f64;
    Ok(all)
}

/// Nanoseconds for each of a lot.
fn each(began: Instant, lot: usize) -> f64 {
    began.elapsed().as_nanos() as f64 / lot as f64
}

/// Keeps the processor busy.
fn compute(time: Duration) {
    if time.is_zero() {
        return;
    }
    let began = Instant::now();
    while began.elapsed() < time {
        hint::spin_loop();
    }
}

/// A decision, and the lease as the filter gets it.
fn decide(worker: &mut Worker, addresses: &[String]) -> Handed {
    let choice = worker
        .choose(&())
        .expect("there are servers without limits");
    let address = &addresses[black_box(choice.index) as usize];
    handoff::claim(address.as_bytes()).expect("the lease of this decision")
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
