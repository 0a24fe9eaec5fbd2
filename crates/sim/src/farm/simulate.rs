use core::fmt;

use filch_policy::dispatch::{Start, StartError};
use filch_random::Seed;
use filch_workload::{ArrivalLaw, CapacityLaw, TraceError};

use super::arriving::ArrivingBatches;
use super::capacities::Capacities;
use super::line::Line;
use super::outcome::FarmOutcome;
use super::run::{Length, Run};
use super::servers::Servers;
use super::shared_run::SharedRun;

/// Makes all `runs` side by side on the same servers and the same random numbers.
///
/// The runs take turns, some slots at a time. The capacities of these slots are drawn once and are
/// still in the cache when the last run uses them.
///
/// # Errors
///
/// If a named policy cannot work in front of these servers, or a trace of arrivals cannot be read.
///
/// # Panics
///
/// If the runs are longer than [`Length::MOST_SLOTS`], or a policy of your own chooses a server
/// that does not exist or loses a job.
pub fn simulate<P: Start, A: ArrivalLaw, C: CapacityLaw>(
    servers: &Servers<C>,
    runs: &[Run<P, A>],
    length: Length,
    seed: Seed,
    replication: u64,
) -> Result<Vec<FarmOutcome<P>>, Error> {
    simulate_and_tell(servers, runs, length, seed, replication, |_| ())
}

/// [`simulate`] that calls `tell` from time to time with the number of slots that are done.
///
/// # Errors
///
/// As [`simulate`].
///
/// # Panics
///
/// As [`simulate`].
pub fn simulate_and_tell<P: Start, A: ArrivalLaw, C: CapacityLaw>(
    servers: &Servers<C>,
    runs: &[Run<P, A>],
    length: Length,
    seed: Seed,
    replication: u64,
    mut tell: impl FnMut(u32),
) -> Result<Vec<FarmOutcome<P>>, Error> {
    let mut capacities = Capacities::of(servers, seed, replication);
    let lines = runs
        .iter()
        .map(|run| Line::start(run, servers, length, seed, replication))
        .collect::<Result<Vec<_>, _>>()?;
    let mut shared_runs = SharedRun::all(lines);
    let mut arriving = ArrivingBatches::start(runs, seed, replication)?;
    let most = capacities.convenient() as u32;
    let mut done = 0;
    while done < length.slots {
        let slots = (length.slots - done).min(most);
        capacities.draw(slots as usize);
        arriving.draw(slots as usize);
        let mut parted = Vec::new();
        for runs in &mut shared_runs {
            let batches = arriving.of(runs.number);
            parted.extend(runs.slots(batches, |at| capacities.slot(at)));
        }
        shared_runs.append(&mut parted);
        done += slots;
        tell(done);
    }
    let mut outcomes: Vec<_> = shared_runs
        .into_iter()
        .flat_map(SharedRun::finish)
        .collect();
    outcomes.sort_unstable_by_key(|outcome| outcome.0);
    Ok(outcomes.into_iter().map(|outcome| outcome.1).collect())
}

/// Why a simulation cannot begin.
#[derive(Debug)]
pub enum Error {
    /// A policy cannot work in front of these servers.
    Start(StartError),
    /// A trace of arrivals cannot be read.
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
