//! The time of all runs behind PI's Figures 1 and 2.

use std::error::Error;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use filch::Pool;
use filch_random::Seed;
use filch_sim::farm::{Batches, Length, Run, simulate};

use super::{FarmArgs, arrivals, servers};

/// Times the runs: three mixes, twenty loads, whole and split, five policies; completion times at
/// 50 and 99 % load, where the figures show them.
pub(super) fn time(args: &FarmArgs) -> Result<(), Box<dyn Error>> {
    let mut portions = Vec::new();
    let mut loads: Vec<f64> = (1..20)
        .map(|twentieth| f64::from(twentieth) / 20.0)
        .collect();
    loads.push(0.99);
    let mixes = [(10, 90), (50, 50), (90, 10)];
    for (slow, fast) in mixes {
        // As in the report, the runs of two loads share what is drawn for their servers.
        for loads in loads.chunks(2) {
            let servers = servers(slow, fast)?;
            let mut runs = Vec::new();
            for &load in loads {
                for batches in Batches::ALL {
                    for policy in ["pi", "jiq", "jsq", "jsq:2", "jsq:1:1"] {
                        let run = Run::of(policy.parse()?, batches, arrivals(&servers, load)?);
                        runs.push(Run {
                            completions: load == 0.5 || load == 0.99,
                            ..run
                        });
                    }
                }
            }
            portions.push((servers, runs));
        }
    }
    let pool = Pool::new(args.threads)?;
    let began = Instant::now();
    let taken: Vec<Duration> = pool.install(|| {
        let mut taken = vec![Duration::ZERO; portions.len()];
        filch::scope(|scope| {
            for ((servers, runs), taken) in portions.iter().zip(&mut taken) {
                scope.spawn(move |_| {
                    let began = Instant::now();
                    black_box(simulate(
                        servers,
                        runs,
                        Length::of(args.slots),
                        Seed::new(1),
                        0,
                    ))
                    .expect("good policies");
                    *taken = began.elapsed();
                });
            }
        });
        taken
    });
    let seconds = began.elapsed().as_secs_f64();
    let runs: usize = portions.iter().map(|portion| portion.1.len()).sum();
    let server_slots = runs as f64 * f64::from(args.slots) * 100.0;
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "Figures 1 and 2: {runs} runs of {} slots in {seconds:.1} s on {} threads, {:.3e} server-slots a second",
        args.slots,
        args.threads,
        server_slots / seconds,
    )?;
    for ((slow, fast), taken) in mixes.iter().zip(taken.chunks(loads.len().div_ceil(2))) {
        let seconds: f64 = taken.iter().map(Duration::as_secs_f64).sum();
        writeln!(out, "  {slow}:{fast} {seconds:.1} s of one thread")?;
    }
    Ok(())
}
