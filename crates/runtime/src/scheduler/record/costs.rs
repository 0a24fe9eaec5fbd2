//! What recording adds to the strands that it measures, and what it takes in all.

use std::sync::OnceLock;

use filch_profile::Kind;

use super::clock::{Rate, Ticks, now};
use super::coarse;
use super::join::{Join, JoinRecord as _};
use super::site::SiteKey;
use super::state::{Begins, State};
use super::trial::{self, Trial};

/// How often a join of known strands is recorded. The median counts: what is subtracted from many
/// strands is then right in their sum.
const TRIALS: u32 = 500;

/// How long each strand of a trial takes, in nanoseconds. Strands that do nothing at all have the
/// recorder's code ready for them, and cost a third less.
const STRAND: u64 = 2000;

/// For each kind of strand, how much longer the time between the reading of the clock at its begin
/// and that at its end is than what it does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    first: Ticks,
    second: Ticks,
    after_join: Ticks,
    other: Ticks,
    /// What recording a join takes in all.
    fork: Ticks,
    counted: Trial,
    /// The most work after which forks may be counted.
    coarse_limit: Ticks,
}

impl Costs {
    /// Of this machine, measured once.
    pub(super) fn get() -> Self {
        static COSTS: OnceLock<Costs> = OnceLock::new();
        *COSTS.get_or_init(|| {
            if cfg!(test) {
                // The clock stands still.
                return Self {
                    coarse_limit: coarse::LIMIT,
                    ..Self::default()
                };
            }
            std::thread::spawn(Self::measure).join().unwrap_or_default()
        })
    }

    /// Records joins on a thread of its own, whose records are thrown away.
    fn measure() -> Self {
        let key = SiteKey::of::<Self>(Kind::Join);
        let work = || State::with(|state| state.outermost_work()).unwrap_or_default();
        State::with(|state| state.begin_trial(&key));
        let [mut first, mut second, mut after_join, mut fork] = [const { Vec::new() }; 4];
        let time = Rate::get().ticks_in_nanos(STRAND);
        let mut before = None;
        for _ in 0..TRIALS {
            let in_after_join = work_for(time);
            let began = now();
            let mut join = Join::at(&key);
            let begun = work();
            let in_first = work_for(time);
            join.first_ended();
            let of_first = join.first_work();
            let in_second = work_for(time);
            join.end();
            let took = now().saturating_sub(began);
            fork.push(took.saturating_sub(in_first + in_second));
            let ended = work();
            first.push(of_first.saturating_sub(in_first));
            second.push(ended.saturating_sub(begun + of_first + in_second));
            if let Some(before) = before.replace(ended) {
                after_join.push(begun.saturating_sub(before + in_after_join));
            }
        }
        Self {
            first: median(&mut first),
            second: median(&mut second),
            after_join: median(&mut after_join),
            other: Rate::get().reading,
            fork: median(&mut fork),
            counted: trial::run(),
            coarse_limit: Rate::get().ticks_in_nanos(coarse::LIMIT),
        }
    }

    /// For trials: no closure is too large to be learnt from.
    pub(super) fn record_all(&mut self) {
        self.coarse_limit = Ticks::MAX;
    }

    /// Of so many forks that were counted, in a task of so much work.
    ///
    /// No task has less work to a fork than the trial. So counting has at most the share of a task
    /// that it has of the trial, also if the machine runs faster than it did then.
    pub(super) fn counted(&self, forks: u64, work: Ticks) -> Ticks {
        let Trial { counted, plain } = self.counted;
        let beyond = u128::from(counted.saturating_sub(plain));
        let of_forks = u128::from(forks) * beyond / u128::from(trial::FORKS);
        let of_work = u128::from(work) * beyond / u128::from(counted).max(1);
        of_forks.min(of_work) as Ticks
    }

    pub(super) fn coarse_limit(&self) -> Ticks {
        self.coarse_limit
    }

    #[inline]
    pub(super) fn of(&self, begins: Begins) -> Ticks {
        match begins {
            Begins::First => self.first,
            Begins::Second => self.second,
            Begins::AfterJoin => self.after_join,
            Begins::Other => self.other,
        }
    }

    /// What recording a join takes in all.
    pub(super) fn fork(&self) -> Ticks {
        self.fork
    }
}

/// Works for that time at least. Returns how long it took.
fn work_for(time: Ticks) -> Ticks {
    let began = now();
    loop {
        let took = now().saturating_sub(began);
        if took >= time {
            return took;
        }
    }
}

fn median(of: &mut [Ticks]) -> Ticks {
    of.sort_unstable();
    of.get(of.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_takes_at_most_its_share() {
        let costs = Costs {
            counted: Trial {
                counted: 5 * Ticks::from(trial::FORKS),
                plain: 4 * Ticks::from(trial::FORKS),
            },
            ..Costs::default()
        };
        assert_eq!(costs.counted(1000, 100_000), 1000);
        // As many forks as in the trial, on a machine at twice its speed.
        assert_eq!(costs.counted(1000, 2500), 500);
        assert_eq!(Costs::default().counted(1000, 2500), 0);
    }
}
