//! Runs without completion times that are repeated, longer and on fresh random numbers, until they
//! have a verdict.

use filch_policy::dispatch::Spec;
use filch_random::Seed;
use filch_sim::farm::{Batches, Length, Run, Servers, simulate};
use filch_stats::stability::Verdict;
use filch_workload::ArrivalLaw;

use crate::dispatch::Estimates;

/// The most runs of one process.
const LOOKS: u32 = 3;

/// The error rate of the verdict: 1 % for each run.
pub(super) const ERROR: f64 = 0.01 * LOOKS as f64;

/// Runs `policy` for `slots` slots and, as long as it is undecided, again for twice as many: up to
/// three runs, all on random numbers of their own from replication `first` on.
///
/// A stable process is called stable nine times in ten by one run that is long enough.
pub(super) fn until_decided<A: ArrivalLaw>(
    servers: &Servers,
    (policy, batches): (Spec, Batches),
    arrivals: A,
    slots: u32,
    (seed, first): (Seed, u64),
) -> Estimates {
    let run = [Run {
        completions: false,
        ..Run::with(policy, batches, arrivals)
    }];
    let mut look = 0;
    loop {
        let length = Length::of(slots << look);
        let outcomes = simulate(servers, &run, length, seed, first + u64::from(look));
        let estimates = Estimates::of(&outcomes.expect("a good policy")[0], None);
        look += 1;
        if look == LOOKS || estimates.verdict != Verdict::Undecided {
            return estimates;
        }
    }
}
