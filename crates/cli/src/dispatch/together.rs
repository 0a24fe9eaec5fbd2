//! Many runs on the same random numbers, on all cores.

use std::ops::Range;

use filch_random::Seed;
use filch_sim::farm::{Error, Length, Outcome, Run, Servers, simulate_and_tell};

use crate::parallel;
use crate::progress::Progress;

/// A run in front of some servers.
pub(crate) struct Job<'a> {
    pub(crate) servers: &'a Servers,
    pub(crate) run: Run,
}

/// The progress bar moves so often for each portion.
const TICKS: usize = 50;

/// Makes all runs; the outcomes come in order and do not depend on the number of threads, since what
/// a run gives depends on no other.
pub(crate) fn simulate(
    jobs: &[Job<'_>],
    length: Length,
    seed: Seed,
    progress: &Progress,
) -> Result<Vec<Outcome>, Error> {
    let threads = parallel::threads();
    let portions = portions(jobs, jobs.len().div_ceil(4 * threads.get()));
    progress.expect(TICKS * portions.len());
    let outcomes = parallel::map(portions.len(), threads, |at| {
        let mut ticks = 0;
        portion(&jobs[portions[at].clone()], length, seed, |slots| {
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

/// One portion of the runs, all in front of the same servers.
pub(crate) fn portion(
    jobs: &[Job<'_>],
    length: Length,
    seed: Seed,
    tell: impl FnMut(u32),
) -> Result<Vec<Outcome>, Error> {
    let runs: Vec<Run> = jobs.iter().map(|job| job.run.clone()).collect();
    simulate_and_tell(jobs[0].servers, &runs, length, seed, 0, tell)
}

/// Cuts the runs into portions of at most `most`, each in front of one farm. What is drawn for the
/// servers is drawn once for each portion, so portions should not be too small, and there should be
/// several for each core.
pub(crate) fn portions(jobs: &[Job<'_>], most: usize) -> Vec<Range<usize>> {
    let mut portions = Vec::new();
    let mut from = 0;
    while from < jobs.len() {
        let same = jobs[from..]
            .iter()
            .take(most.max(1))
            .take_while(|job| std::ptr::eq(job.servers, jobs[from].servers));
        let to = from + same.count();
        portions.push(from..to);
        from = to;
    }
    portions
}
