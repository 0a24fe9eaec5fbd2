use filch_random::{Seed, Stream};
use filch_workload::streams::ARRIVALS;
use filch_workload::{ArrivalLaw, Arrive, TraceError};

use super::run::Run;

/// The batches of all runs, some slots at a time. Runs under the same arrivals meet the same
/// batches, which are drawn once.
pub(super) struct ArrivingBatches<A> {
    processes: Vec<DrawnArrivals<A>>,
    /// Which process each run meets.
    of_run: Vec<usize>,
}

/// One arrival process, and its batches in the present slots.
struct DrawnArrivals<A> {
    process: A,
    rng: Stream,
    batches: Vec<u32>,
}

impl<A: Arrive> ArrivingBatches<A> {
    /// The arrival processes of `runs` before their first slot.
    pub(super) fn start<P, L>(
        runs: &[Run<P, L>],
        seed: Seed,
        replication: u64,
    ) -> Result<Self, TraceError>
    where
        L: ArrivalLaw<Process = A>,
    {
        let mut known: Vec<&L> = Vec::new();
        let mut processes = Vec::new();
        let mut of_run = Vec::with_capacity(runs.len());
        for run in runs {
            let at = known.iter().position(|law| law.is_same(&run.arrivals));
            if at.is_none() {
                known.push(&run.arrivals);
                processes.push(DrawnArrivals {
                    process: run.arrivals.start()?,
                    rng: seed.stream(ARRIVALS, replication, 0),
                    batches: Vec::new(),
                });
            }
            of_run.push(at.unwrap_or(known.len() - 1));
        }
        Ok(Self { processes, of_run })
    }

    /// Draws the batches of the next `slots` slots.
    pub(super) fn draw(&mut self, slots: usize) {
        for drawn in &mut self.processes {
            drawn.batches.clear();
            let next = || drawn.process.next_batch(&mut drawn.rng);
            drawn
                .batches
                .extend(std::iter::repeat_with(next).take(slots));
        }
    }

    /// The batches that were drawn for run number `run`.
    pub(super) fn of(&self, run: usize) -> &[u32] {
        &self.processes[self.of_run[run]].batches
    }
}
