//! An experiment of your own: replications on all cores, progress, and a paired comparison.
//!
//! ```sh
//! cargo run --release -p filch-examples --example own_experiment
//! ```
//!
//! Are queues shorter under PI or under JIQ, at 95 % load and with few fast servers? Both policies
//! meet the same arrivals and capacities in each replication, so the difference is known better
//! than either mean. The numbers are the same on any number of threads.

use std::error::Error;
use std::io::Write;

use filch_experiments::{Progress, parallel};
use filch_sim::prelude::*;
use filch_stats::{Confidence, paired};

/// Shows a dot for each run that is done.
struct Dots;

impl Progress for Dots {
    fn expect(&self, runs: usize) {
        println!("{runs} runs");
    }

    fn done(&self) {
        print!(".");
        let _ = std::io::stdout().flush();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    const REPLICATIONS: usize = 16;
    let servers = Servers::of(vec![
        Class::new("slow", 90, "uniform:1".parse()?),
        Class::new("fast", 10, "uniform:10".parse()?),
    ])?;
    let arrivals = Arrivals::poisson(Load::new(0.95)?.rate(servers.total_capacity()))?;
    let run = |policy: Spec| Run::of(policy, Batches::Whole, arrivals.clone());
    let runs = [run("pi".parse()?), run("jiq".parse()?)];

    Dots.expect(REPLICATIONS);
    let queues = parallel::map(REPLICATIONS, parallel::threads(), |replication| {
        let (length, seed) = (Length::of(20_000), Seed::new(1));
        let outcomes = simulate(&servers, &runs, length, seed, replication as u64);
        Dots.done();
        outcomes.map(|pair| [0, 1].map(|at| pair[at].waited as f64 / 20_000.0))
    });
    let queues = queues.into_iter().collect::<Result<Vec<_>, _>>()?;
    let [pi, jiq] = [0, 1].map(|at| queues.iter().map(|pair| pair[at]).collect::<Vec<_>>());
    let difference = paired(&pi, &jiq, Confidence::NINETY_FIVE)?.difference;
    let (mean, half_width) = (difference.mean, difference.half_width);
    println!("\nPI's mean queue less JIQ's: {mean:.0} ± {half_width:.0} (95 %)");
    Ok(())
}
