//! A second estimate of the critical load: do slow servers with a backlog catch up?
//!
//! Every slow server starts with a queue that does not empty during the run. Then only fast servers
//! send tokens, and a slow server receives jobs only in slots without an idle server. In such a
//! slot it receives λ/n jobs on average, whether batches are split (each job to a random server) or
//! not (the batch to a random server). Its queue grows in each slot by
//!
//! ```text
//! λ/n · P(no server is idle) − μ_slow
//! ```
//!
//! on average. Slow servers catch up if and only if this is negative.

use filch_sim::farm::{Batches, Capacities, Length, Line, Run, Servers};
use filch_stats::{Confidence, Estimate, replications};
use filch_workload::streams::ARRIVALS;

use super::super::farm::{arrivals, named};
use crate::chapters::Setting;

/// A critical load and its 95 % interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct CriticalLoad {
    pub(super) load: f64,
    pub(super) error: f64,
}

/// The growth is measured at this distance on both sides of a guess, and is taken to be linear in
/// between.
const REACH: f64 = 0.015;

/// The run is cut into pieces. Their growths are taken to be independent.
const PIECES: u32 = 32;

/// The load near `guess` at which the queues of slow servers stop shrinking.
pub(super) fn critical(
    setting: &Setting<'_>,
    servers: &Servers,
    batches: Batches,
    guess: f64,
    slots: u32,
) -> CriticalLoad {
    let low = guess - REACH;
    let high = (guess + REACH).min(0.999);
    let [first, second] = [low, high].map(|load| growth(setting, servers, batches, load, slots));
    let slope = (second.mean - first.mean) / (high - low);
    CriticalLoad {
        load: low - first.mean / slope,
        // An upper bound on the two errors, weighted by the position of the zero.
        error: first.half_width.hypot(second.half_width) / slope.abs(),
    }
}

/// The growth per slot of the queue of a slow server while all of them have a backlog.
fn growth(
    setting: &Setting<'_>,
    servers: &Servers,
    batches: Batches,
    load: f64,
    slots: u32,
) -> Estimate {
    let run = Run {
        completions: false,
        ..Run::of(named("jiq"), batches, arrivals(servers, load))
    };
    let slow = servers.classes()[0].count;
    // A slow server completes one job per slot.
    let queues: Vec<u32> = (0..servers.count())
        .map(|server| if server < slow { slots + 1 } else { 0 })
        .collect();
    let seed = setting.seed;
    let mut line = Line::start(&run, servers, Length::of(slots), seed, 0)
        .expect("a good policy")
        .from_queues(&queues);
    let mut capacities = Capacities::of(servers, seed, 0);
    let mut batches = run.arrivals.start().expect("no file is read");
    let mut arriving = seed.stream(ARRIVALS, 0, 0);
    let piece = slots / (PIECES + PIECES / 4);
    let mut behind = Vec::new();
    for slot in 1..=slots {
        capacities.draw(1);
        line.slots(&[batches.next_batch(&mut arriving)], |_| capacities.slot(0));
        if slot.is_multiple_of(piece) {
            let waiting: u64 = line.queues()[..slow].iter().map(|&q| u64::from(q)).sum();
            behind.push(waiting as f64 / slow as f64);
        }
    }
    // The first fifth is warm-up for the fast servers.
    let settled = &behind[behind.len().saturating_sub(PIECES as usize + 1)..];
    let growths: Vec<f64> = settled
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) / f64::from(piece))
        .collect();
    replications(&growths, Confidence::NINETY_FIVE).expect("many pieces")
}
