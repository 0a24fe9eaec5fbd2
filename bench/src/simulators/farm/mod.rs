//! Slots a second of the simulated server farm, beside the plain farm that moves job by job.
//!
//! Servers are half slow and half fast, as in PI section 4.1. A row has three ways to simulate: the
//! plain farm, and the fast one with and without completion times. They take turns in each round; a
//! cell is the best round, and speed-ups compare within a row.

mod figures;

use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Instant;

use clap::Parser;
use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_report::markdown_table;
use filch_sim::farm::{Batches, Class, Length, Run, Servers, plain, simulate};
use filch_workload::{Arrivals, Load};

use crate::output;

/// Measures the simulated server farm.
#[derive(Debug, Parser)]
#[command(name = "farm", version)]
struct FarmArgs {
    /// Numbers of servers
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        default_value = "10,100,1000,10000,100000"
    )]
    servers: Vec<usize>,
    /// Policies
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "pi,jiq,jsq,jsq:2,jsq:1:1,sed"
    )]
    policy: Vec<Spec>,
    /// The load
    #[arg(long, value_name = "L", default_value_t = 0.9)]
    load: f64,
    /// Rounds; every round measures each way once
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Time all runs of PI's Figures 1 and 2 instead: 600 runs on all cores
    #[arg(long)]
    figures: bool,
    /// Slots of each of these runs
    #[arg(long, value_name = "K", default_value_t = 1_000_000)]
    slots: u32,
    /// Threads for these runs
    #[arg(long, value_name = "N", default_value_t = 2)]
    threads: usize,
}

/// The program `farm`: slots a second of the simulated server farm, policy by policy.
pub fn farm() -> Result<(), Box<dyn Error>> {
    let args = FarmArgs::parse();
    if args.figures {
        return figures::time(&args);
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "load {}, slots a second: plain (timing jobs), fast and timing jobs, fast\n",
        args.load
    )?;
    let numbers = ["servers", "plain", "timed", "×", "untimed", "×"];
    let columns = output::columns(["policy", "batches"], numbers);
    write!(out, "{}", markdown_table::head(&columns))?;
    for &policy in &args.policy {
        for batches in Batches::ALL {
            for &count in &args.servers {
                let servers = servers(count / 2, count - count / 2)?;
                let arrivals = arrivals(&servers, args.load)?;
                let run = Run::of(policy, batches, arrivals);
                let [plain, timed, untimed] = measure(&servers, &run, args.rounds)?;
                let row = markdown_table::row([
                    policy.to_string(),
                    batches.to_string(),
                    count.to_string(),
                    format!("{plain:.0}"),
                    format!("{timed:.0}"),
                    format!("{:.1}", timed / plain),
                    format!("{untimed:.0}"),
                    format!("{:.1}", untimed / plain),
                ]);
                write!(out, "{row}")?;
                out.flush()?;
            }
        }
    }
    Ok(())
}

fn servers(slow: usize, fast: usize) -> Result<Servers, Box<dyn Error>> {
    Ok(Servers::of(vec![
        Class::new("slow", slow, "uniform:1".parse()?),
        Class::new("fast", fast, "uniform:10".parse()?),
    ])?)
}

fn arrivals(servers: &Servers, load: f64) -> Result<Arrivals, Box<dyn Error>> {
    Ok(Arrivals::poisson(
        Load::new(load)?.rate(servers.total_capacity()),
    )?)
}

/// The most slots a second of each way: plain, timing jobs, not timing them.
fn measure(servers: &Servers, run: &Run, rounds: usize) -> Result<[f64; 3], Box<dyn Error>> {
    let untimed = Run {
        completions: false,
        ..run.clone()
    };
    // About as many server-slots whatever the number of servers, fewer where each takes long.
    let slots = |budget: usize| (budget / servers.count()).clamp(20, 200_000) as u32;
    let (few, many) = (slots(200_000), slots(4_000_000));
    let fast = |run: &Run| {
        let began = Instant::now();
        let outcome = simulate(
            servers,
            std::slice::from_ref(run),
            Length::of(many),
            Seed::new(1),
            0,
        );
        black_box(outcome?);
        Ok::<_, Box<dyn Error>>(f64::from(many) / began.elapsed().as_secs_f64())
    };
    let mut best = [0.0f64; 3];
    for _ in 0..rounds {
        let began = Instant::now();
        black_box(plain::simulate(
            servers,
            run,
            Length::of(few),
            Seed::new(1),
            0,
        )?);
        best[0] = best[0].max(f64::from(few) / began.elapsed().as_secs_f64());
        best[1] = best[1].max(fast(run)?);
        best[2] = best[2].max(fast(&untimed)?);
    }
    Ok(best)
}
