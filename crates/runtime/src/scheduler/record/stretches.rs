//! The first stretches of a recording.

use std::collections::HashMap;

use filch_profile::{SiteId, Stretch, StretchId};

use super::clock::{Rate, Ticks};
use super::timeline::Timeline;

/// How many stretches are kept.
pub(super) const MOST: u32 = 100_000;

/// By the number that each got when it began.
#[derive(Default)]
pub(super) struct Stretches {
    kept: Vec<Option<(u32, Ran)>>,
    /// By the number of a thread, its number among those that ran something.
    workers: HashMap<u32, u32>,
}

/// A stretch, in ticks.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    pub(super) site: u32,
    pub(super) forked_in: Option<u32>,
    pub(super) forked: Ticks,
    pub(super) began: Ticks,
    pub(super) ended: Ticks,
    pub(super) busy: Ticks,
}

impl Stretches {
    pub(super) fn ended(&mut self, number: u32, thread: u32, ran: &Ran) {
        let next = self.workers.len() as u32;
        let worker = *self.workers.entry(thread).or_insert(next);
        let index = number as usize;
        if self.kept.len() <= index {
            self.kept.resize(index + 1, None);
        }
        self.kept[index] = Some((worker, *ran));
    }

    /// Those that have ended, in the order in which they began.
    pub(super) fn all(&self, rate: Rate, timeline: &Timeline) -> Vec<Stretch> {
        let mut numbers = HashMap::new();
        let mut all = Vec::new();
        for (number, kept) in self.kept.iter().enumerate() {
            let Some((worker, ran)) = kept else {
                continue;
            };
            let at = |ticks: Ticks| timeline.at(ticks, rate);
            let all_of_it = ran.ended.saturating_sub(ran.began);
            all.push(Stretch {
                worker: *worker,
                site: SiteId(ran.site),
                // One that has not ended is not there.
                forked_in: ran
                    .forked_in
                    .and_then(|number| numbers.get(&number).copied()),
                forked: at(ran.forked),
                began: at(ran.began),
                ended: at(ran.ended),
                waited: rate.duration(all_of_it.saturating_sub(ran.busy)),
            });
            numbers.insert(number as u32, StretchId(all.len() as u32 - 1));
        }
        all
    }
}
