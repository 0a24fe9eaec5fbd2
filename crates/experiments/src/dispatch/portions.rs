//! Many runs on common random numbers, in portions for all cores.

use std::ops::Range;

use filch_random::Seed;
use filch_sim::farm::{Error, FarmOutcome, Length, Run, Servers, simulate_and_tell};

use crate::{Progress, parallel};

/// A run in front of some servers.
#[derive(Clone, Debug)]
pub struct Simulation<'a> {
    /// The servers.
    pub servers: &'a Servers,
    /// The policy, and what arrives.
    pub run: Run,
}

/// How often each portion reports its progress.
const TICKS: usize = 50;

/// Makes all runs on all cores. The outcomes come in order and do not depend on the number of
/// threads.
///
/// # Errors
///
/// If a policy cannot work in front of its servers or a trace of arrivals cannot be read.
///
/// # Panics
///
/// If the runs are longer than [`Length::MOST_SLOTS`].
pub fn simulate(
    simulations: &[Simulation<'_>],
    length: Length,
    seed: Seed,
    progress: &dyn Progress,
) -> Result<Vec<FarmOutcome>, Error> {
    let threads = parallel::threads();
    let portions = portions(simulations, simulations.len().div_ceil(4 * threads.get()));
    progress.expect(TICKS * portions.len());
    let outcomes = parallel::map(portions.len(), threads, |at| {
        let mut ticks = 0;
        portion(&simulations[portions[at].clone()], length, seed, |slots| {
            progress.going();
            let due = TICKS * slots as usize / length.slots as usize;
            (ticks..due).for_each(|_| progress.done());
            ticks = due;
        })
    });
    Ok(outcomes
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .concat())
}

/// Makes one portion of the runs, all in front of the same servers. `tell` is called now and then
/// with the number of slots that are done.
///
/// # Errors
///
/// If a policy cannot work in front of the servers or a trace of arrivals cannot be read.
///
/// # Panics
///
/// If there are no runs, or if they are longer than [`Length::MOST_SLOTS`].
pub fn portion(
    simulations: &[Simulation<'_>],
    length: Length,
    seed: Seed,
    tell: impl FnMut(u32),
) -> Result<Vec<FarmOutcome>, Error> {
    let runs: Vec<Run> = simulations.iter().map(|one| one.run.clone()).collect();
    simulate_and_tell(simulations[0].servers, &runs, length, seed, 0, tell)
}

/// Divides the runs into portions of at most `most`, each in front of one farm.
///
/// The capacities of the servers are drawn once for each portion. So portions should not be too
/// small, and there should be several for each core.
pub fn portions(simulations: &[Simulation<'_>], most: usize) -> Vec<Range<usize>> {
    let mut portions = Vec::new();
    let mut from = 0;
    while from < simulations.len() {
        let servers = simulations[from].servers;
        let same = simulations[from..]
            .iter()
            .take(most.max(1))
            .take_while(|one| std::ptr::eq(one.servers, servers));
        let to = from + same.count();
        portions.push(from..to);
        from = to;
    }
    portions
}
