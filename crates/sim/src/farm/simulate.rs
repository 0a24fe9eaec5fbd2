use core::fmt;

use filch_policy::dispatch::StartError;
use filch_random::{Purpose, Seed, Stream};
use filch_workload::{Arrivals, BatchProcess, TraceError};

use super::capacities::Capacities;
use super::line::Line;
use super::outcome::Outcome;
use super::run::{Length, Run};
use super::servers::Servers;
use super::together::Together;

pub(super) const ARRIVALS: Purpose = Purpose::named("arrivals");

/// Makes all `runs` side by side on the same servers and the same random numbers.
///
/// The runs take turns, some slots at a time, so that the capacities of these slots are drawn once
/// and are still in the cache when the last run gets to them.
///
/// # Errors
///
/// If a policy cannot work in front of these servers or a trace of arrivals cannot be read.
///
/// # Panics
///
/// If the runs are longer than [`Length::MOST_SLOTS`].
pub fn simulate(
    servers: &Servers,
    runs: &[Run],
    length: Length,
    seed: Seed,
    replication: u64,
) -> Result<Vec<Outcome>, Error> {
    simulate_and_tell(servers, runs, length, seed, replication, |_| ())
}

/// [`simulate`], and `tell` is told now and then how many slots are done.
///
/// # Errors
///
/// As [`simulate`].
///
/// # Panics
///
/// As [`simulate`].
pub fn simulate_and_tell(
    servers: &Servers,
    runs: &[Run],
    length: Length,
    seed: Seed,
    replication: u64,
    mut tell: impl FnMut(u32),
) -> Result<Vec<Outcome>, Error> {
    let mut capacities = Capacities::of(servers, seed, replication);
    let lines = runs
        .iter()
        .map(|run| Line::start(run, servers, length, seed, replication))
        .collect::<Result<Vec<_>, _>>()?;
    let mut different = Together::all(lines);
    let (mut streams, served_by) = streams(runs, seed, replication)?;
    let most = capacities.convenient() as u32;
    let mut done = 0;
    while done < length.slots {
        let slots = (length.slots - done).min(most);
        capacities.draw(slots as usize);
        for stream in &mut streams {
            stream.draw(slots as usize);
        }
        let mut parted = Vec::new();
        for runs in &mut different {
            let batches = &streams[served_by[runs.number]].drawn;
            parted.extend(runs.slots(batches, |at| capacities.slot(at)));
        }
        different.append(&mut parted);
        done += slots;
        tell(done);
    }
    let mut outcomes: Vec<_> = different.into_iter().flat_map(Together::finish).collect();
    outcomes.sort_unstable_by_key(|outcome| outcome.0);
    Ok(outcomes.into_iter().map(|outcome| outcome.1).collect())
}

/// The batches of one arrival process, some slots at a time.
struct Batches {
    process: BatchProcess,
    rng: Stream,
    drawn: Vec<u32>,
}

impl Batches {
    fn draw(&mut self, slots: usize) {
        self.drawn.clear();
        let next = || self.process.next_batch(&mut self.rng);
        self.drawn.extend(std::iter::repeat_with(next).take(slots));
    }
}

/// The different arrival processes, and which of them each run meets.
fn streams(
    runs: &[Run],
    seed: Seed,
    replication: u64,
) -> Result<(Vec<Batches>, Vec<usize>), TraceError> {
    let mut known: Vec<&Arrivals> = Vec::new();
    let mut streams = Vec::new();
    let mut served_by = Vec::with_capacity(runs.len());
    for run in runs {
        let at = known.iter().position(|&arrivals| *arrivals == run.arrivals);
        if at.is_none() {
            known.push(&run.arrivals);
            streams.push(Batches {
                process: run.arrivals.start()?,
                rng: seed.stream(ARRIVALS, replication, 0),
                drawn: Vec::new(),
            });
        }
        served_by.push(at.unwrap_or(known.len() - 1));
    }
    Ok((streams, served_by))
}

/// Why nothing can be simulated.
#[derive(Debug)]
pub enum Error {
    /// A policy cannot work in front of these servers.
    Start(StartError),
    /// Arrivals were to be read from a file, which cannot be used.
    Trace(TraceError),
}

impl From<StartError> for Error {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

impl From<TraceError> for Error {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Trace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}
