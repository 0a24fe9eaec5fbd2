use super::ages::Ages;
use super::pairs::{Pairs, most_entries};
use super::waits::Waits;

/// Job completion times in slots. A job that is served in the slot of its arrival has time 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// Completion times that occurred, ascending, each with the number of jobs.
    pub counts: Vec<(u64, u64)>,
    /// Jobs that were timed and had not left when the run ended.
    pub unfinished: u64,
    /// The first slot whose arrivals were not timed, because too many sub-batches waited.
    pub cut: Option<u32>,
}

/// A slot at its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Served<'a> {
    pub(super) slot: u32,
    /// How many jobs arrived.
    pub(super) jobs: u32,
    /// How many departed from each server, and padding.
    pub(super) departed: &'a [u32],
    /// How many wait at each server now, and padding.
    pub(super) queues: &'a [u32],
    /// The sum of these.
    pub(super) waiting: u32,
}

/// The order of the jobs in all queues, and the completion times of what left them.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    /// The queues of all servers by age, while the rows have room for them …
    ages: Option<Ages>,
    /// … and then server by server. Both give the same completion times.
    pairs: Pairs,
    waits: Waits,
}

impl Timing {
    /// Idle servers that get whole batches. A batch occupies one server for many slots, so there
    /// are pairs from the start.
    pub(super) fn of_whole(servers: usize, warm_up: u32) -> Self {
        Self {
            ages: None,
            pairs: Pairs::none(servers, warm_up, most_entries(servers)),
            waits: Waits::none(),
        }
    }

    /// Idle servers that get parts of batches, which occupy many servers for a few slots.
    pub(super) fn of_split(servers: usize, warm_up: u32) -> Self {
        Self {
            ages: Some(Ages::none(servers)),
            ..Self::of_whole(servers, warm_up)
        }
    }

    /// `jobs` > 0 jobs of one batch join `server` in `slot`.
    #[inline]
    pub(super) fn arrive(&mut self, server: usize, slot: u32, jobs: u32) {
        self.leave_rows(slot);
        self.pairs.arrive(server, slot, jobs);
    }

    /// Jobs leave in a slot whose arrivals, if any, were given to [`arrive`](Self::arrive).
    #[inline]
    pub(super) fn leave(&mut self, served: Served<'_>) {
        if !self.by_age(served) {
            let Served { slot, departed, .. } = served;
            self.pairs.leave(slot, departed, &mut self.waits);
        }
    }

    /// `arriving[i]` jobs of one batch join server i, for all servers and padding, and jobs leave.
    pub(super) fn pass(&mut self, arriving: &[u32], served: Served<'_>) {
        if !self.by_age(served) {
            self.pairs.pass(arriving, served, &mut self.waits);
        }
    }

    /// Times the slot in rows of ages, if they have room; returns whether it did.
    #[inline]
    fn by_age(&mut self, served: Served<'_>) -> bool {
        match &mut self.ages {
            Some(ages) if ages.has_room(served.jobs) => {
                // Of the jobs that leave, those younger than this arrived after the warm-up.
                let timed = served.slot.saturating_sub(self.pairs.warm_up());
                ages.pass(served, |age, jobs| {
                    if age < timed {
                        self.waits.add(age, jobs);
                    }
                });
                true
            }
            _ => {
                self.leave_rows(served.slot);
                false
            }
        }
    }

    /// Turns the rows, if there are any, into pairs from `slot` on.
    #[inline]
    fn leave_rows(&mut self, slot: u32) {
        if let Some(ages) = self.ages.take() {
            ages.each(|server, age, jobs| self.pairs.arrive(server, slot - 1 - age, jobs));
        }
    }

    /// The completion times after `slot`, the last one.
    pub(super) fn finish(mut self, slot: u32) -> Completions {
        self.leave_rows(slot + 1);
        let waits = self.waits.counts();
        Completions {
            counts: waits.map(|(slots, jobs)| (slots + 1, jobs)).collect(),
            unfinished: self.pairs.timed(),
            cut: self.pairs.cut(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::farm::service::padded;
    use proptest::prelude::*;

    const SERVERS: usize = 20;

    proptest! {
        /// Rows and pairs give the same completion times, also when jobs grow too old or too many
        /// for rows on the way.
        #[test]
        fn counted_either_way(
            slots in prop::collection::vec(
                (
                    prop::collection::vec(prop_oneof![3 => Just(0), 3 => 0..4u32, 1 => 0..20u32], SERVERS),
                    prop::collection::vec(0..6u32, SERVERS),
                ),
                1..40,
            ),
            // No server serves for so many slots before the last ones, and then so many jobs join
            // one server.
            pause in prop_oneof![Just(0), 55..70u32],
            crowd in prop_oneof![Just(0), 60_000..70_000u32],
            warm_up in prop_oneof![Just(0), 0..50u32],
        ) {
            let mut ways = [Timing::of_split(SERVERS, warm_up), Timing::of_whole(SERVERS, warm_up)];
            let mut queues = vec![0; padded(SERVERS)];
            let mut slot = 0;
            let mut pass = |arriving: &[u32], capacities: &[u32]| {
                slot += 1;
                let mut departed = vec![0; queues.len()];
                let mut padded = vec![0; queues.len()];
                for (server, (&jobs, &capacity)) in arriving.iter().zip(capacities).enumerate() {
                    padded[server] = jobs;
                    departed[server] = capacity.min(queues[server] + jobs);
                    queues[server] = queues[server] + jobs - departed[server];
                }
                let (jobs, waiting) = (arriving.iter().sum(), queues.iter().sum());
                let served = Served { slot, jobs, departed: &departed, queues: &queues, waiting };
                for timing in &mut ways {
                    if jobs == 0 {
                        timing.leave(served);
                    } else {
                        timing.pass(&padded, served);
                    }
                }
            };
            for at in 0..2 {
                for (arriving, capacities) in &slots {
                    pass(arriving, capacities);
                }
                if at == 0 {
                    (0..pause).for_each(|_| pass(&[1; SERVERS], &[0; SERVERS]));
                    let mut arriving = [0; SERVERS];
                    arriving[7] = crowd;
                    pass(&arriving, &[9; SERVERS]);
                }
            }
            let [together, one_by_one] = ways.map(|timing| timing.finish(slot));
            prop_assert_eq!(together, one_by_one);
        }
    }
}
